/* peak.c - runs a command and writes how much memory it had at its peak, in KiB, to a file: peak FILE COMMAND... */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	if (argc < 3)
		return 125;
	pid_t child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	int status;
	struct rusage use;
	if (child < 0 || wait4(child, &status, 0, &use) != child)
		return 125;
	FILE *to = fopen(argv[1], "w");
	if (!to || fprintf(to, "%ld\n", use.ru_maxrss) < 0 || fclose(to))
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
