# A generator a file; what they share goes to the core.
core += gen/alias.c
core += gen/alias.h
core += gen/fill.c
core += gen/fill.h
core += gen/gen.c
core += gen/gen.h
core += gen/phases.c
core += gen/phases.h
core += gen/paces.c
core += gen/paces.h
core += gen/power.c
core += gen/power.h

generators += gen/divergent.c
generators += gen/scan.c
generators += gen/stride.c
generators += gen/uniform.c
generators += gen/zipf.c
