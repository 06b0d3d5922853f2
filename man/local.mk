# man
dist_man_MANS += man/reprise.1
dist_man_MANS += man/reprise-cache.7
dist_man_MANS += man/reprise-coherence.1
dist_man_MANS += man/reprise-config.5
dist_man_MANS += man/reprise-convert.1
dist_man_MANS += man/reprise-dump.1
dist_man_MANS += man/reprise-gen.1
dist_man_MANS += man/reprise-help.1
dist_man_MANS += man/reprise-info.1
dist_man_MANS += man/reprise-label.1
dist_man_MANS += man/reprise-model.1
dist_man_MANS += man/reprise-profile.1
dist_man_MANS += man/reprise-rpz.5
dist_man_MANS += man/reprise-sim.1
dist_man_MANS += man/reprise-validate.1
dist_man_MANS += man/reprise-sweep.1
EXTRA_DIST += build-aux/update-man.sh

# Sections of the manual that come from the program's tables.
update-man: reprise$(EXEEXT)
	cd $(top_srcdir)/man && sh ../build-aux/update-man.sh $(abs_top_builddir)/reprise *.[0-9]
.PHONY: update-man
