/* err.c - one error, carried up by the caller's struct. */
#include "config.h"

#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character that begins here; 0 if none does, or a control character. */
static size_t
printable(const unsigned char *c)
{
	if (*c < 0x80)
		return *c >= 0x20 && *c != 0x7f;
	size_t n = *c >= 0xc2 && *c < 0xe0   ? 2
	           : *c >= 0xe0 && *c < 0xf0 ? 3
	           : *c >= 0xf0 && *c < 0xf5 ? 4
	                                     : 0;
	for (size_t i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return n == 2 && *c == 0xc2 && c[1] < 0xa0 ? 0 : n; /* the second set of controls */
}

static void
one_line(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c;) {
		size_t n = printable(c);
		if (!n)
			*c = '?';
		c += n ? n : 1;
	}
}

bool
rp_fail(struct rp_err *err, enum rp_code code, const char *format, ...)
{
	if (!err)
		return false;
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	one_line(err->text);
	err->code = code;
	return false;
}

/* Running out of something is the machine's fault, not the input's. */
static bool
is_resource(int e)
{
	return e == ENOMEM || e == ENOSPC || e == EPIPE || e == EDQUOT || e == EFBIG || e == EIO ||
	       e == EMFILE || e == ENFILE || e == EAGAIN;
}

bool
rp_fail_errno(struct rp_err *err, enum rp_code code, const char *format, ...)
{
	int e = errno;
	if (!err)
		return false;
	va_list args;
	va_start(args, format);
	int n = vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	size_t used = n < 0 ? 0 : (size_t)n;
	if (used < sizeof err->text)
		snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(e));
	one_line(err->text);
	err->code = is_resource(e) ? RP_RESOURCE : code;
	return false;
}

bool
rp_err_wrap(struct rp_err *err, const char *format, ...)
{
	if (!err)
		return false;
	char text[sizeof err->text];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text - 2, format, args);
	va_end(args);
	strcat(text, ": ");
	size_t prefix = strlen(text), was = strlen(err->text);
	if (was > sizeof err->text - 1 - prefix)
		was = sizeof err->text - 1 - prefix; /* what does not fit falls off at the end */
	memmove(err->text + prefix, err->text, was);
	memcpy(err->text, text, prefix);
	err->text[prefix + was] = 0;
	one_line(err->text);
	return false;
}
