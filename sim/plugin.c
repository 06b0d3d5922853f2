/* plugin.c - policies of the user's own, in shared objects.
 *
 * Whatever the file is, refusing it must not crash. So its header is read before the system's loader sees it, which trusts
 * it; and of the symbol nothing is read that the object does not say is there. */
#include "config.h"

#include "sim/plugin.h"
#include "sim/cache.h"

#include "base/buf.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_MOST = 32 };

static const char symbol[] = "rp_plugin";

/* ---- The file ---- */

static bool
no_object(const char *path, const char *why, struct rp_err *err)
{
	return rp_fail(err, RP_INPUT, "plug-in %.160s: %s; wanted a shared object", path, why);
}

/* Whether all that is to be mapped is in the file: behind its end a process is killed. */
static bool
check_segments(FILE *f, const char *path, const ElfW(Ehdr) * h, uint64_t size, struct rp_err *err)
{
	ElfW(Phdr) p;
	if (h->e_phentsize != sizeof p || fseeko(f, (off_t)h->e_phoff, SEEK_SET))
		return no_object(path, "its header is damaged", err);
	for (unsigned i = 0; i < h->e_phnum; i++) {
		if (fread(&p, sizeof p, 1, f) != 1)
			return no_object(path, "it is cut short", err);
		if (p.p_type == PT_LOAD && (p.p_offset > size || p.p_filesz > size - p.p_offset))
			return no_object(path, "it is cut short", err);
	}
	return true;
}

static bool
check_elf(FILE *f, const char *path, struct rp_err *err)
{
	ElfW(Ehdr) h;
	struct stat s;
	if (fstat(fileno(f), &s))
		return rp_fail_errno(err, RP_INPUT, "plug-in %.160s", path);
	if (!S_ISREG(s.st_mode))
		return no_object(path, "it is no file", err);
	if (fread(&h, sizeof h, 1, f) != 1 || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
		return no_object(path, "it is not in ELF format", err);
	if (h.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    h.e_type != ET_DYN)
		return no_object(path, "it is an ELF file of another kind", err);
	return check_segments(f, path, &h, (uint64_t)s.st_size, err);
}

static bool
check_file(const char *path, struct rp_err *err)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return rp_fail_errno(err, RP_INPUT, "plug-in %.160s", path);
	bool ok = check_elf(f, path, err);
	fclose(f);
	return ok;
}

/* The object, loaded. A name without a slash would be looked for among the system's libraries. */
static void *
open_object(const char *path, struct rp_err *err)
{
	struct rp_buf b = { 0 };
	void *handle = NULL;
	if (!check_file(path, err) ||
	    !rp_buf_printf(&b, err, "%s%s", strchr(path, '/') ? "" : "./", path))
		goto end;
	const char *name = (const char *)b.bytes;
	if (!(handle = dlopen(name, RTLD_NOW | RTLD_LOCAL))) {
		const char *why = dlerror();
		size_t n = strlen(name); /* it says the name again */
		why = !why                                      ? "cannot be loaded"
		      : !strncmp(why, name, n) && why[n] == ':' ? why + n + 2
		                                                : why;
		rp_fail(err, RP_INPUT, "plug-in %.160s: %.240s", path, why);
	}
end:
	rp_buf_free(&b);
	return handle;
}

/* ---- The policy ---- */

/* The number that comes first in the policy of any interface, and the whole of it if the object has so many bytes there. */
static const struct rp_policy *
find_policy(void *handle, const char *path, struct rp_err *err)
{
	Dl_info info;
	const ElfW(Sym) *entry = NULL;
	void *p = dlsym(handle, symbol);
	if (!p || !dladdr1(p, &info, (void **)(uintptr_t)&entry, RTLD_DL_SYMENT) || !entry) {
		rp_fail(err, RP_INPUT,
		    "plug-in %.160s: it does not export '%s', a struct rp_policy (reprise.h)", path,
		    symbol);
		return NULL;
	}
	const struct rp_policy *policy = p;
	if (ELF64_ST_TYPE(entry->st_info) != STT_OBJECT || entry->st_size < sizeof policy->abi) {
		rp_fail(err, RP_INPUT,
		    "plug-in %.160s: its '%s' is no struct rp_policy (reprise.h)", path, symbol);
		return NULL;
	}
	if (policy->abi != RP_POLICY_ABI) {
		rp_fail(err, RP_INPUT,
		    "plug-in %.160s: built for policy interface %" PRIu32
		    "; this program has interface %d: build it with this version's reprise.h",
		    path, policy->abi, RP_POLICY_ABI);
		return NULL;
	}
	if (entry->st_size < sizeof *policy) {
		rp_fail(err, RP_INPUT, "plug-in %.160s: its '%s' has %zu bytes; wanted %zu", path,
		    symbol, (size_t)entry->st_size, sizeof *policy);
		return NULL;
	}
	return policy;
}

/* What people type: small letters, digits and -, a letter first. */
static bool
is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
	return n && n <= NAME_MOST && !name[n] && name[0] >= 'a' && name[0] <= 'z';
}

static const char *
param_wrong(const struct rp_param *p)
{
	if (!is_name(p->name))
		return "a parameter's name is not small letters, digits and -";
	if (!p->what)
		return "a parameter has no description";
	if (p->least > p->most || (!p->wanted && (p->usual < p->least || p->usual > p->most)))
		return "a parameter's usual value is not within its bounds";
	if (rp_cache_spec_has_key(p->name))
		return "a parameter is called as a key that every cache has";
	return NULL;
}

/* What is wrong with its description, or NULL. */
static const char *
policy_wrong(const struct rp_policy *p)
{
	if (!p->name || !is_name(p->name))
		return "its name is not small letters, digits and -";
	if (!p->what)
		return "it has no description";
	if (!p->victim)
		return "it has no function victim";
	if (p->admit || p->future || p->unbounded || p->engines[0])
		return "it sets members that are the library's own";
	const char *wrong = NULL;
	for (size_t i = 0; i < RP_POLICY_PARAMS && p->params[i].name && !wrong; i++) {
		wrong = param_wrong(&p->params[i]);
		for (size_t k = 0; k < i && !wrong; k++)
			if (!strcmp(p->params[k].name, p->params[i].name))
				wrong = "two parameters have the same name";
	}
	return wrong;
}

/* Room for one more, and the NULL behind it. */
static bool
make_room(struct rp_plugins *p, struct rp_err *err)
{
	const struct rp_policy **policy = rp_mem_grow(p->policy, p->n + 2, sizeof *p->policy, err);
	if (!policy)
		return false;
	p->policy = policy;
	policy[p->n] = policy[p->n + 1] = NULL;
	void **handle = rp_mem_grow(p->handle, p->n + 1, sizeof *p->handle, err);
	if (!handle)
		return false;
	p->handle = handle;
	return true;
}

bool
rp_plugins_load(struct rp_plugins *p, const char *path, struct rp_err *err)
{
	if (!make_room(p, err))
		return false;
	void *handle = open_object(path, err);
	if (!handle)
		return false;
	const struct rp_policy *policy = find_policy(handle, path, err);
	const char *wrong = policy ? policy_wrong(policy) : NULL;
	if (!policy)
		goto bad;
	if (wrong) {
		rp_fail(err, RP_INPUT, "plug-in %.160s: %s", path, wrong);
		goto bad;
	}
	if (rp_policy_find_with(policy->name, p, NULL)) {
		rp_fail(err, RP_USAGE, "plug-in %.160s: there is a policy '%s' already", path,
		    policy->name);
		goto bad;
	}
	p->handle[p->n] = handle;
	p->policy[p->n++] = policy;
	return true;
bad:
	dlclose(handle);
	return false;
}

void
rp_plugins_free(struct rp_plugins *p)
{
	while (p->n)
		dlclose(p->handle[--p->n]);
	free(p->handle);
	free(p->policy);
	*p = (struct rp_plugins){ 0 };
}
