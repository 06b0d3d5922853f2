/* label.h - `reprise label`, between its files: label.c the options and the order of work, label_run.c what is made of each
 * trace, label_journal.c what survives an interruption, label_share.c shares, label_write.c the data set's files,
 * label_sheet.c the one for people. */
#ifndef RP_LABEL_H
#define RP_LABEL_H

#include "input.h"

#include "learn/design.h"
#include "learn/tables.h"

#include <jansson.h>

struct label_foreign;
struct label_level;

struct label_opts {
	struct rp_input_opts in;
	struct rp_pool_text pool;
	struct rp_texts traces;
	const char *output, *shard, *line, *count, *labels_from, *config, *level;
	uint64_t interval, every, warmup;
	bool reset, kit, resume, join, json, csv;
};

/* A real trace. Its texts are borrowed, or belong to the run's arena. */
struct label_trace {
	const char *path, *name;          /* as it is opened, and told */
	const char *from, *kinds, *limit; /* as the options of these names; NULL: as these say */
	uint32_t line;
	uint64_t bytes;             /* of the file; 0: none */
	struct rp_label_cache *own; /* the run's; NULL: they are drawn */
	size_t caches;
};

struct label_journal;

/* All that is known of one `reprise label`. */
struct label_run {
	struct label_opts *o;
	struct rp_design design; /* pairs are 0 without a file */
	const char *file;        /* of the design; NULL: none */
	struct label_trace *trace;
	size_t traces;
	struct label_foreign *foreign; /* NULL: labels are simulated */
	struct label_level *level;     /* NULL: traces as they are */
	uint64_t share, shares;        /* 1 of 1 without --shard */
	struct rp_block *block;        /* of each item: synthetic ones, then real ones */
	bool *done;
	size_t items, synthetic;
	char *plan; /* what is made, as JSON: equal for runs that may go on with each other */
	struct label_journal *journal; /* NULL: nothing is written */
	bool made;                     /* the folder */
	json_t *warnings;              /* of the run as a whole */
	char **warning;                /* of each item, lines; NULL: none */
	struct rp_arena arena;
};

/* label_run.c */

/* Whether this share makes the item. */
bool label_is_own(const struct label_run *run, size_t item);
/* Makes all items that are not done. RP_STOPPED: interrupted. */
bool label_make(struct label_run *run, struct rp_err *err);

/* label_journal.c: blocks that are done, in a file of the data set's folder, so that an interruption or a crash loses what
 * is in hand and no more. */

/* Opens the journal of the folder for this run, and takes the blocks that it has. RP_USAGE: there is one, and --resume is not
 * given; RP_INPUT: it is one of another data set or share. */
struct label_journal *label_journal_open(struct label_run *run, struct rp_err *err);
/* Adds the block of an item, and its warnings. */
bool label_journal_keep(
    struct label_journal *j, const struct label_run *run, size_t item, struct rp_err *err);
/* Ends it: removed, or renamed to `name`, or (NULL) kept as it is. Accepts NULL. */
bool label_journal_close(
    struct label_journal *j, bool remove, const char *name, struct rp_err *err);

/* Whether the file is a journal of this run's plan and share. */
bool label_journal_same(
    const struct label_run *run, const char *path, bool *same, struct rp_err *err);

/* Reads a journal: its plan, and each block that is whole, in the order they were added. RP_INPUT: it is none. *end becomes
 * where what is whole ends, 0 if nothing is. `take` is called for each block, `warn` before it if it has warnings, as text;
 * they take the bytes. */
struct label_reader {
	void *to;
	bool (*plan)(void *to, const char *plan, const char *share, struct rp_err *err);
	bool (*take)(void *to, size_t item, unsigned char *bytes, size_t n, struct rp_err *err);
	bool (*warn)(void *to, size_t item, unsigned char *text, size_t n, struct rp_err *err);
};
bool label_journal_read(
    int fd, const char *path, const struct label_reader *r, uint64_t *end, struct rp_err *err);

/* label_share.c */

/* Takes the blocks of shares, files or folders that have them, and the plan from the first. RP_INPUT: one is no share, they
 * are of different data sets, a block comes twice, or is missing. */
bool label_join(struct label_run *run, int n, char **shares, struct rp_err *err);

/* label_write.c */

/* Makes sure that the folder is there, and has no data set yet. *finished: it has this one already. Sets run->made. */
bool label_folder(struct label_run *run, bool *finished, struct rp_err *err);
/* All files of the data set. */
bool label_write(struct label_run *run, struct rp_err *err);
/* Prints rows, without a folder; or what was written. */
bool label_print_rows(struct label_run *run, struct rp_err *err);
bool label_print_summary(struct label_run *run, struct rp_err *err);
/* DIR/share-I-of-N.rows; DIR/name. Give; NULL without memory. */
char *label_share_path(const struct label_run *run, struct rp_err *err);
char *label_path(const struct label_run *run, const char *name, struct rp_err *err);

/* label_sheet.c: DATASHEET.md. `sums` is {"file": SHA-256}. */
bool label_sheet(struct label_run *run, const struct rp_tables *t, json_t *sums, struct rp_out *to,
    struct rp_err *err);

#endif
