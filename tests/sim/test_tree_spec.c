/* test_tree_spec.c - tests sim/tree_spec.c. */
#include "tests/sim/tree_check.h"

RP_TEST(tree_spec, a_chain_is_read_and_completed)
{
	struct rp_tree_spec t;
	read_tree("levels:\n"
		  "  - cache: lru,size=32KiB,ways=8\n"
		  "    per: stream\n"
		  "  - name: LLC\n"
		  "    cache: fifo,size=1MiB,ways=16,line=128\n"
		  "    inclusion: inclusive\n",
	    &t);
	cr_assert_eq(t.levels, 2);
	cr_assert_str_eq(t.level[0].name, "L1");
	cr_assert_str_eq(t.level[1].name, "LLC");
	cr_assert(t.level[0].parent == 1 && t.level[1].parent == RP_MEMORY);
	cr_assert(t.level[0].depth == 1 && t.level[1].depth == 2);
	cr_assert(t.level[0].share == RP_SHARE_STREAM && t.level[1].share == RP_SHARE_ALL);
	cr_assert(t.level[0].inclusion == RP_NINE && t.level[1].inclusion == RP_INCLUSIVE);
	cr_assert(t.level[0].cache.line == 64 && t.level[1].cache.line == 128);
	cr_assert(t.level[0].empties && !t.level[1].empties);
	cr_assert(!t.level[0].warms && t.level[1].warms);
	cr_assert_eq(rp_level_instance(&t.level[0], 77), 77);
	cr_assert_eq(rp_level_instance(&t.level[1], 77), 0);
	cr_assert_not(rp_tree_flows_down(&t));
	rp_tree_spec_free(&t);
}

RP_TEST(tree_spec, accesses_enter_by_kind_and_stream)
{
	struct rp_tree_spec t;
	read_tree("levels:\n"
		  "  - {name: L1I, cache: 'lru,size=4KiB', kinds: fetch, parent: L2, per: stream}\n"
		  "  - {name: L1D, cache: 'lru,size=4KiB', parent: L2, groups: [[0, 2-3], 4-7]}\n"
		  "  - {name: L2, cache: 'lru,size=64KiB', streams_per: 100}\n"
		  "  - {name: SPM, cache: 'lru,size=64KiB', kinds: [prefetch, atomic]}\n",
	    &t);
	cr_assert_eq(rp_tree_entry(&t, RP_FETCH, 9), 0);
	cr_assert_eq(rp_tree_entry(&t, RP_READ, 3), 1);
	cr_assert_eq(rp_tree_entry(&t, RP_WRITE, 7), 1);
	cr_assert_eq(rp_tree_entry(&t, RP_READ, 1), 2, "in no group: past L1D");
	cr_assert_eq(rp_tree_entry(&t, RP_PREFETCH, 0), 3);
	cr_assert_eq(rp_level_instance(&t.level[1], 0), 0);
	cr_assert_eq(rp_level_instance(&t.level[1], 1), UINT32_MAX);
	cr_assert_eq(rp_level_instance(&t.level[1], 3), 0);
	cr_assert_eq(rp_level_instance(&t.level[1], 4), 1);
	cr_assert_eq(rp_level_instance(&t.level[1], 8), UINT32_MAX);
	cr_assert_eq(rp_level_instance(&t.level[2], 199), 1);
	cr_assert_eq(t.level[1].ranges, 3);
	cr_assert_eq(rp_tree_below(&t, 0, 0), 2);
	cr_assert_eq(rp_tree_below(&t, 2, 0), 3);
	cr_assert_eq(rp_tree_below(&t, 3, 0), RP_MEMORY);
	cr_assert(rp_tree_flows_down(&t));
	rp_tree_spec_free(&t);
}

RP_TEST(tree_spec, neighbouring_ranges_of_a_group_join_up_to_the_last_stream)
{
	struct rp_tree_spec t;
	read_tree("levels:\n"
		  "  - {cache: 'lru,size=4KiB', groups: [[5-9, 0-4], [10-0xffffffff]]}\n",
	    &t);
	cr_assert_eq(t.level[0].ranges, 2);
	cr_assert_eq(rp_level_instance(&t.level[0], 9), 0);
	cr_assert_eq(rp_level_instance(&t.level[0], UINT32_MAX), 1);
	cr_assert_not(t.level[0].empties, "a level alone is a cache alone");
	rp_tree_spec_free(&t);
}

#define L1 "levels:\n  - name: L1\n    cache: lru,size=4KiB\n"
#define L2 "  - name: L2\n    cache: lru,size=64KiB\n"

static const struct {
	const char *text, *says;
} bad[] = {
	{ "- 1\n", ":1: the file is a list; wanted levels: and a list" },
	{ "{}\n", ":1: wanted levels: and a list" },
	{ "level:\n  - cache: lru,size=4KiB\n", ":1: no key 'level'; did you mean 'levels'?" },
	{ L1 "memory: 1\n", ":4: no key 'memory'; the one key here is 'levels'" },
	{ "levels: 3\n", ":1: levels: wanted a list of levels" },
	{ "levels: []\n", ":1: levels: wanted a list" },
	{ "levels:\n  - lru\n", ":2: a level is a text; wanted a map" },
	{ "levels:\n  - name: L1\n", ":2: wanted cache: SPEC" },
	{ "levels:\n  - cache: lur,size=4KiB\n",
	    ":2: cache 'lur,size=4KiB': no policy 'lur'; did you" },
	{ "levels:\n  - name: L1\n    cache: lru,size=4097\n",
	    ":3: cache 'lru,size=4097': size=4097" },
	{ "levels:\n  - cache: [lru]\n", ":2: cache: a list; wanted a text" },
	{ "levels:\n  - cache: lru,size=4KiB,sector=32\n  - cache: lru,size=64KiB\n    inclusion: "
	  "exclusive\n",
	    ":2: cache: where a level is exclusive, as L2, all keep whole lines; wanted no "
	    "sector=" },
	{ L1 "    cach: lru\n", ":4: no key 'cach'; did you mean 'cache'?" },
	{ L1 "    size: 4KiB\n", ":4: no key 'size'" },
	{ L1 "    per: core\n", ":4: per: 'core' is none of all, stream" },
	{ L1 "    per:\n", ":4: per: '' is none of" },
	{ L1 "    parent:\n", ":4: parent: nothing behind it" },
	{ L1 "    streams_per: 0\n", ":4: streams_per: 0 is not in 1.." },
	{ L1 "    streams_per: 4\n    per: stream\n", ":2: per, streams_per, groups: give one" },
	{ L1 "    groups: 0-3\n", ":4: groups: a text; wanted a list of lists" },
	{ L1 "    groups: []\n", ":4: groups: the list is empty" },
	{ L1 "    groups: [[]]\n", ":4: groups: a group without streams" },
	{ L1 "    groups:\n      - [0, x]\n", ":5: groups: 'x' is neither a stream nor some" },
	{ L1 "    groups: [[3-1]]\n", ":4: groups: '3-1' is neither" },
	{ L1 "    groups: [[4294967296]]\n", ":4: groups: '4294967296' is neither" },
	{ L1 "    groups: [[[1]]]\n", ":4: groups: a list; wanted a stream" },
	{ L1 "    groups: [[0-3], [2]]\n", ":4: groups: a stream is in two of them" },
	{ L1 "    kinds: reads\n", ":4: kinds: 'reads' is none of read, write, atomic" },
	{ L1 "    kinds: [read, [write]]\n", ":4: kinds: a list in the list" },
	{ L1 "    kinds: read,,write\n", ":4: kinds: '' is none" },
	{ L1 "    inclusion: both\n",
	    ":4: inclusion: 'both' is none of nine, inclusive, exclusive" },
	{ L1 "    inclusion: inclusive\n", ":4: inclusion: no level is above L1" },
	{ L1 "  - cache: lru,size=4KiB,line=128\n    inclusion: exclusive\n",
	    ":5: inclusion: exclusive wants lines as long as those of L1 above it: 64, not 128" },
	{ L1 "    slices: 0\n", ":4: slices: 0 is not in 1..4096" },
	{ L1 "    slices: 80\n    slice_hash: ipoly\n",
	    ":4: slices: 80; slice_hash: ipoly is for 16" },
	{ L1 "    slice_hash: ipoly\n", ":2: slices: 1; slice_hash: ipoly is for 16" },
	{ "levels:\n  - cache: lru,size=4KiB,line=512\n    slices: 16\n    slice_hash: ipoly\n",
	    ":2: cache: lines of 512 bytes; slice_hash: ipoly is for up to 256" },
	{ L1 "    slice_hash: xor\n", ":4: slice_hash: 'xor' is none of mod, ipoly" },
	{ L1 "    kernel_end: drop\n", ":4: kernel_end: 'drop' is none of auto, empty, keep" },
	{ L1 "    host_copy: yes\n", ":4: host_copy: 'yes' is none of auto, warm, ignore" },
	{ L1 "    parent: L2\n", ":4: parent: no level is called 'L2'" },
	{ L1 "    parent: L1\n", ":4: parent: L1 is below itself" },
	{ L1 "    parent: L2\n" L2 "    parent: L1\n", ":4: parent: L1 is below itself" },
	{ L1 L2 "    name: L1\n", "name: comes twice" },
	{ L1 "  - name: L1\n    cache: lru,size=4KiB\n", ":4: name: 'L1' is another level's too" },
	{ "levels:\n  - name: memory\n    cache: lru,size=4KiB\n",
	    ":2: name: 'memory' is what is" },
	{ L1 "    parent: L2\n  - {name: I, cache: 'lru,size=1KiB', parent: L2}\n" L2,
	    ":5: L1 and I both take all accesses of the same streams; one of them wants kinds" },
	{ L1 "    kinds: read\n    parent: L2\n"
	     "  - {name: I, cache: 'lru,size=1KiB', parent: L2, kinds: [fetch, read]}\n" L2,
	    ":6: L1 and I both take read accesses of the same streams" },
	{ "levels:\n  - cache: opt,size=4KiB\n", ":2: cache: opt has to know what comes" },
	{ L1 "  - cache: ttl,window=9,slotted=no\n    inclusion: inclusive\n",
	    ":4: cache: lines of a ttl go when their time is over" },
	{ "levels:\n  - cache: ttl,window=9\n" L2 "    inclusion: exclusive\n",
	    ":2: cache: lines of a ttl go when their time is over" },
	{ L1 "  - cache: lru,size=4KiB,mshr=4\n    inclusion: exclusive\n",
	    ":4: cache: mshr= is not for exclusive levels" },
	{ L1 "  - cache: lru,size=4KiB,classify=yes\n    inclusion: exclusive\n",
	    ":4: cache: classify= is not for exclusive levels" },
	{ "levels:\n  - cache: preset=V100,level=l2\n    slices: 4\n",
	    ":3: slices: a cache of GPGPU-Sim has slices of its own" },
	{ "levels:\n  - cache: preset=V100\n    kernel_end: keep\n",
	    ":3: kernel_end: level= and copies= in its specification" },
	{ "levels:\n  - cache: preset=V100\n  - cache: lru,size=4KiB\n    inclusion: inclusive\n",
	    ":4: inclusion: L1 is a cache of GPGPU-Sim, which is neither" },
	{ L1 L2 "    per: stream\n", ":2: streams that share one L1 do not share one L2" },
	{ L1 "    streams_per: 4\n" L2 "    streams_per: 6\n", ":2: streams that share one L1" },
	{ L1 "    streams_per: 4\n" L2 "    per: stream\n", ":2: streams that share one L1" },
	{ L1 "    groups: [[0-3]]\n" L2 "    streams_per: 2\n", ":2: streams that share one L1" },
	{ L1 "    groups: [[0, 2]]\n" L2 "    groups: [[0-1], [2-3]]\n", ":2: streams that share" },
};

RP_TEST(tree_spec, what_is_wrong_is_refused_with_its_line)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char path[64];
		struct rp_tree_spec t;
		struct rp_err err = { 0 };
		write_tree(path, bad[i].text);
		cr_assert_not(rp_tree_spec_read(path, 64, 1, NULL, &t, &err), "%s", bad[i].text);
		cr_assert_eq(err.code, RP_INPUT, "%s", err.text);
		cr_assert(strstr(err.text, bad[i].says), "%s\n%s", bad[i].text, err.text);
		cr_assert_eq(strncmp(err.text, path, strlen(path)), 0, "%s", err.text);
		unlink(path);
	}
}

RP_TEST(tree_spec, sharing_that_nests_is_taken)
{
	static const char *const good[] = { L1 "    streams_per: 2\n" L2 "    streams_per: 6\n",
		L1 "    per: stream\n" L2 "    streams_per: 6\n",
		L1 "    groups: [[0, 1], [2-3]]\n" L2 "    streams_per: 2\n",
		L1 "    groups: [[0, 1], [2-3]]\n" L2 "    groups: [[0-3]]\n",
		L1 "    groups: [[1], [2]]\n" L2 "    per: stream\n",
		L1 "    streams_per: 2\n" L2 "    groups: [[0-3]]\n", L1 L2 };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct rp_tree_spec t;
		read_tree(good[i], &t);
		rp_tree_spec_free(&t);
	}
}
