# examples

# Valgrind 3.19 watching gzip 1.12 pack src/base/opt.c, 1.8 M accesses with instruction fetches:
# valgrind --tool=lackey --trace-mem=yes --log-file=gzip.lackey gzip -6 -n -c opt.c >/dev/null
EXTRA_DIST += examples/traces/gzip.lackey.xz
EXTRA_DIST += examples/traces/README.md
EXTRA_DIST += examples/traces/matmul.c
EXTRA_DIST += examples/traces/matmul.lackey.xz
