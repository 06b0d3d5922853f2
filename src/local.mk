core += src/base/buf.c
core += src/base/buf.h
core += src/base/err.c
core += src/base/err.h
core += src/base/hash.c
core += src/base/hash.h
core += src/base/mem.c
core += src/base/mem.h
core += src/base/opt.c
core += src/base/opt.h
core += src/base/out.c
core += src/base/out.h
core += src/base/parse.c
core += src/base/parse.h
core += src/base/rng.c
core += src/base/rng.h

program = src/command.h
