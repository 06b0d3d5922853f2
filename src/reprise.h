/* reprise.h - the public interface of libreprise. */
#ifndef REPRISE_H
#define REPRISE_H

#ifdef __cplusplus
extern "C" {
#endif

#define RP_API __attribute__((visibility("default")))

/* The library's version, "MAJOR.MINOR.PATCH". */
RP_API const char *rp_version(void);

#ifdef __cplusplus
}
#endif

#endif
