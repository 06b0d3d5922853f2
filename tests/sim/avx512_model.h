/* avx512_model.h - the AVX-512 instructions of sim/ways.h in plain C, lane by lane as Intel's manual defines them, so that a
 * machine without them can test the loops that use them. */
#ifndef RP_TESTS_SIM_AVX512_MODEL_H
#define RP_TESTS_SIM_AVX512_MODEL_H

#include <stdint.h>
#include <string.h>

#define RP_WAYS_512

typedef uint8_t model_mask8;
typedef uint16_t model_mask16;
typedef struct {
	uint32_t lane[8];
} model_256;
typedef union {
	uint32_t lane[16];
	uint64_t wide[8];
} model_512;

#define __mmask8  model_mask8
#define __mmask16 model_mask16
#define __m256i   model_256
#define __m512i   model_512

static inline model_256
_mm256_loadu_si256(const void *p)
{
	model_256 x;
	memcpy(&x, p, sizeof x);
	return x;
}
#define _mm256_load_si256 _mm256_loadu_si256

static inline void
_mm256_storeu_si256(void *p, model_256 x)
{
	memcpy(p, &x, sizeof x);
}

static inline model_256
_mm256_set1_epi32(int a)
{
	model_256 x;
	for (unsigned j = 0; j < 8; j++)
		x.lane[j] = (uint32_t)a;
	return x;
}

static inline model_mask8
_mm256_cmpeq_epi32_mask(model_256 a, model_256 b)
{
	unsigned m = 0;
	for (unsigned j = 0; j < 8; j++)
		m |= (unsigned)(a.lane[j] == b.lane[j]) << j;
	return (model_mask8)m;
}

static inline model_256
_mm256_mask_mov_epi32(model_256 src, model_mask8 k, model_256 a)
{
	for (unsigned j = 0; j < 8; j++)
		src.lane[j] = k >> j & 1 ? a.lane[j] : src.lane[j];
	return src;
}

static inline model_512
_mm512_mask_mov_epi32(model_512 src, model_mask16 k, model_512 a)
{
	for (unsigned j = 0; j < 16; j++)
		src.lane[j] = k >> j & 1 ? a.lane[j] : src.lane[j];
	return src;
}

/* Lane j of the two concatenated, a above b, moved down by `by`, where the mask has it; else of src. */
static inline model_256
_mm256_mask_alignr_epi32(model_256 src, model_mask8 k, model_256 a, model_256 b, int by)
{
	for (unsigned j = 0; j < 8; j++)
		if (k >> j & 1) {
			unsigned from = j + (unsigned)by;
			src.lane[j] = from < 8 ? b.lane[from] : a.lane[from - 8];
		}
	return src;
}

static inline model_512
_mm512_loadu_si512(const void *p)
{
	model_512 x;
	memcpy(&x, p, sizeof x);
	return x;
}

static inline void
_mm512_storeu_si512(void *p, model_512 x)
{
	memcpy(p, &x, sizeof x);
}

static inline model_512
_mm512_maskz_loadu_epi32(model_mask16 k, const void *p)
{
	model_512 x;
	memset(&x, 0, sizeof x);
	for (unsigned j = 0; j < 16; j++)
		if (k >> j & 1)
			memcpy(&x.lane[j], (const char *)p + 4 * j, 4);
	return x;
}

static inline void
_mm512_mask_storeu_epi32(void *p, model_mask16 k, model_512 x)
{
	for (unsigned j = 0; j < 16; j++)
		if (k >> j & 1)
			memcpy((char *)p + 4 * j, &x.lane[j], 4);
}

static inline model_512
_mm512_set1_epi32(int a)
{
	model_512 x;
	for (unsigned j = 0; j < 16; j++)
		x.lane[j] = (uint32_t)a;
	return x;
}

static inline model_512
_mm512_set1_epi64(long long a)
{
	model_512 x;
	for (unsigned j = 0; j < 8; j++)
		x.wide[j] = (uint64_t)a;
	return x;
}

static inline model_mask16
_mm512_mask_cmpeq_epi32_mask(model_mask16 k, model_512 a, model_512 b)
{
	unsigned m = 0;
	for (unsigned j = 0; j < 16; j++)
		m |= (unsigned)((k >> j & 1) && a.lane[j] == b.lane[j]) << j;
	return (model_mask16)m;
}

static inline model_mask8
_mm512_cmpeq_epi64_mask(model_512 a, model_512 b)
{
	unsigned m = 0;
	for (unsigned j = 0; j < 8; j++)
		m |= (unsigned)(a.wide[j] == b.wide[j]) << j;
	return (model_mask8)m;
}

static inline model_512
_mm512_mask_alignr_epi32(model_512 src, model_mask16 k, model_512 a, model_512 b, int by)
{
	for (unsigned j = 0; j < 16; j++)
		if (k >> j & 1) {
			unsigned from = j + (unsigned)by;
			src.lane[j] = from < 16 ? b.lane[from] : a.lane[from - 16];
		}
	return src;
}

static inline model_512
_mm512_mask_alignr_epi64(model_512 src, model_mask8 k, model_512 a, model_512 b, int by)
{
	for (unsigned j = 0; j < 8; j++)
		if (k >> j & 1) {
			unsigned from = j + (unsigned)by;
			src.wide[j] = from < 8 ? b.wide[from] : a.wide[from - 8];
		}
	return src;
}

#endif
