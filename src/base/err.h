/* err.h - one error, carried up by the caller's struct. */
#ifndef RP_BASE_ERR_H
#define RP_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* What kind of failure it was; the value is the program's exit code (design: 2 usage, 3 input, 4 resource). */
enum rp_code {
	RP_OK = 0,
	RP_FAILED = 1,
	RP_USAGE = 2,
	RP_INPUT = 3,
	RP_RESOURCE = 4,
	RP_STOPPED = 130
};

/* The caller's; starts as zeroes. `text` is one line without a newline: place, what was found, what was wanted. */
struct rp_err {
	enum rp_code code;
	char text[512];
};

/* Fills *err (which may be NULL) and returns false, so that a failing function can end in `return rp_fail(...)`.
 * Control characters of the message are replaced by '?': input that is quoted cannot break the line. */
bool rp_fail(struct rp_err *err, enum rp_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with errno's text appended after ": ". ENOMEM, ENOSPC, EPIPE, EMFILE and their kin are RP_RESOURCE
 * whatever `code` says; a missing or unreadable file keeps `code`. */
bool rp_fail_errno(struct rp_err *err, enum rp_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text that is there, and returns false. */
bool rp_err_wrap(struct rp_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
