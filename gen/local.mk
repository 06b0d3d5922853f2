core += gen/gen.h
