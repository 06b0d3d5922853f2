/* version.c - the library's version. */
#include "config.h"

#include "reprise.h"

const char *
rp_version(void)
{
	return PACKAGE_VERSION;
}
