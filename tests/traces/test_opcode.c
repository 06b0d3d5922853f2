/* Tests of traces/opcode.c. */
#include "tests/check.h"

#include "traces/opcode.h"

static struct rp_op
decode(const char *text)
{
	return rp_op_decode(text, strlen(text), false);
}

RP_TEST(opcode, the_size_is_in_the_first_token_that_is_a_number)
{
	static const struct {
		const char *text;
		uint32_t size, narrow; /* narrow: with S8 and S16 understood */
	} t[] = {
		{ "LDG.E", 4, 4 },
		{ "LDG.E.64", 8, 8 },
		{ "LDG.E.128.CONSTANT.SYS", 16, 16 },
		{ "STG.E.U8", 1, 1 },
		{ "STG.E.U16.SYS", 2, 2 },
		{ "LDG.E.S8.SYS", 4, 1 },
		{ "LDG.E.S16", 4, 2 },
		{ "LDSM.16.M88.4", 2, 2 },
		{ "LDGSTS.E.BYPASS.LTC128B.128", 16, 16 },
		{ "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 4, 4 },
		{ "ATOMG.E.CAS.64.STRONG.GPU", 8, 8 },
		{ "LDG.E.ENL2.256", 32, 32 },
		{ "LDG.0.64", 8, 8 },
		{ "LDG.99999999999999999999.64", 8, 8 },
		{ "LDG.U.64", 8, 8 },
		{ "LDG..64.", 8, 8 },
		{ "LDG.7", 4, 4 },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		cr_expect_eq(decode(t[i].text).size, t[i].size, "%s", t[i].text);
		cr_expect_eq(rp_op_decode(t[i].text, strlen(t[i].text), true).size, t[i].narrow,
		    "%s", t[i].text);
	}
}

RP_TEST(opcode, the_part_before_the_first_dot_decides_the_space)
{
	static const struct {
		const char *text;
		enum rp_op_space space;
		enum rp_kind kind;
		bool bypasses;
	} t[] = {
		{ "LDG.E", RP_OP_GLOBAL, RP_READ, false },
		{ "LDG.E.STRONG.GPU", RP_OP_GLOBAL, RP_READ, true },
		{ "LDG.E.STRONG.SYS", RP_OP_GLOBAL, RP_READ, false },
		{ "LDG.E.GPU", RP_OP_GLOBAL, RP_READ, false },
		{ "LDG.GPU.64.STRONG", RP_OP_GLOBAL, RP_READ, true },
		{ "LDGSTS.E.STRONG.GPU.128", RP_OP_GLOBAL, RP_READ, true },
		{ "STG.E.STRONG.GPU", RP_OP_GLOBAL, RP_WRITE, false },
		{ "LDL.64", RP_OP_LOCAL, RP_READ, false },
		{ "STL", RP_OP_LOCAL, RP_WRITE, false },
		{ "ATOM.E.ADD", RP_OP_GLOBAL, RP_ATOMIC, true },
		{ "ATOMG.E.ADD", RP_OP_GLOBAL, RP_ATOMIC, true },
		{ "RED.E.ADD", RP_OP_GLOBAL, RP_ATOMIC, true },
		{ "LDS", RP_OP_SHARED, RP_READ, false },
		{ "LDSM.16.M88.4", RP_OP_SHARED, RP_READ, false },
		{ "STS.128", RP_OP_SHARED, RP_WRITE, false },
		{ "ATOMS.ADD", RP_OP_SHARED, RP_ATOMIC, false },
		{ "LD.E", RP_OP_GENERIC, RP_READ, false },
		{ "ST", RP_OP_GENERIC, RP_WRITE, false },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct rp_op op = decode(t[i].text);
		cr_expect_eq(op.space, t[i].space, "%s", t[i].text);
		cr_expect_eq(op.kind, t[i].kind, "%s", t[i].text);
		cr_expect_eq(op.bypasses, t[i].bypasses, "%s", t[i].text);
	}
}

RP_TEST(opcode, what_is_not_modelled_and_what_is_not_known_stay_apart)
{
	static const char *const texture[] = { "TEX.LL", "SULD.D", "SUST", "SUATOM.P", "SURED" };
	static const char *const unknown[] = { "", ".", "L", "LDX", "LDGX.64", "ldg", "UBLKCP",
		"LDGST", "LDGDEPBAR" };
	cr_expect_eq(decode("LDC.64").space, RP_OP_CONSTANT);
	cr_expect_eq(decode("ULDC").space, RP_OP_CONSTANT);
	for (size_t i = 0; i < sizeof texture / sizeof *texture; i++)
		cr_expect_eq(decode(texture[i]).space, RP_OP_TEXTURE, "%s", texture[i]);
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		cr_expect_eq(decode(unknown[i]).space, RP_OP_UNKNOWN, "%s", unknown[i]);
}

RP_TEST(opcode, no_opcode_stands_in_the_table_twice)
{
	size_t n;
	const struct rp_opcode *o = rp_opcodes(&n);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			cr_expect_str_neq(o[i].name, o[j].name);
}
