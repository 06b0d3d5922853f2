/* main.c - finds the subcommand. */
#include "config.h"

#include "command.h"

volatile sig_atomic_t rp_interrupted;

int
main(void)
{
	return 0;
}
