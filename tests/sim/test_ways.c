/* test_ways.c - keys of small sets: the body of sim/ways.h for any machine. */
#include "tests/sim/ways_check.h"

RP_TEST(ways, keys_are_found_and_rotated) { check_ways(); }
