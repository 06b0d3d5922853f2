# Closed forms, and the checks that hold simulation against them.
core += validate/fraction.c
core += validate/fraction.h
core += validate/history.c
core += validate/history.h
core += validate/margin.c
core += validate/margin.h
core += validate/pascal.c
core += validate/pascal.h
core += validate/pascal_bound.c
core += validate/pascal_reuse.c
core += validate/pascal_state.h
core += validate/recurrence.c
core += validate/recurrence.h
core += validate/sdcm.c
core += validate/sdcm.h
