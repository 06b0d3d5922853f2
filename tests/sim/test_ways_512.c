/* test_ways_512.c - keys of small sets: the body of sim/ways.h for AVX-512, on a model of its instructions. */
#include "tests/sim/avx512_model.h"

#include "tests/sim/ways_check.h"

RP_TEST(ways_512, keys_are_found_and_rotated) { check_ways(); }
