/* SPDX-License-Identifier: GPL-2.0 */
/* Commands as they are typed, on the simulated tree. */
#ifndef ADM_RUN_H
#define ADM_RUN_H

#include <fcntl.h>
#include <getopt.h>

#include "adm_kernel.h"
#include "cmd.h"
#include "scstadmin.h"
#include "unit.h"

#define MAX_WORDS	24

static struct kernel kernel;
static struct tree tree;
static char *said;		/* by the last command, on both outputs */

static void begin(void)
{
	kernel_make(&kernel, &tree);
	setenv("SKUAADM_ROOT", kernel.root, 1);
	tree_test_hook = kernel_write;
	tree_test_data = &kernel;
}

static void end(void)
{
	kernel_end(&kernel, &tree);
	tree_test_hook = NULL;
	free(said);
	said = NULL;
}

/* Both outputs go to a file for a while. */
static int run_words(int argc, char **argv)
{
	bool scst = !strcmp(argv[0], "scstadmin");
	const struct command *c = find_command(argv[0]);
	FILE *file = tmpfile();
	int out, err, nul = open("/dev/null", O_RDONLY), in, status;
	struct text t = { 0 };
	char buf[4096];
	size_t n;

	if ((!c && !scst) || !file)
		return -1;
	fflush(stdout);
	out = dup(1);
	err = dup(2);
	in = dup(0);
	dup2(nul, 0);
	dup2(fileno(file), 1);
	dup2(fileno(file), 2);
	status = scst ? scst_main(argc, argv) : run_command(c, argc, argv);
	fflush(stdout);
	dup2(out, 1);
	dup2(err, 2);
	dup2(in, 0);
	clearerr(stdin);
	close(out);
	close(err);
	close(in);
	close(nul);
	rewind(file);
	while ((n = fread(buf, 1, sizeof(buf), file)) > 0)
		text_put(&t, buf, n);
	fclose(file);
	free(said);
	said = text_take(&t);
	return status;
}

/* Words are separated by blanks; '+' in a word is a blank. */
static int run(const char *format, ...)
{
	char *line, *rest, *word, *argv[MAX_WORDS + 1], *c;
	int argc = 0, status;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&line, format, ap) < 0)
		abort();
	va_end(ap);
	rest = line;
	while ((word = strsep(&rest, " ")) && argc < MAX_WORDS) {
		for (c = word; *c; c++)
			if (*c == '+')
				*c = ' ';
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	status = run_words(argc, argv);
	free(line);
	return status;
}

#define RUN(want, ...)								\
	do {									\
		int got__ = run(__VA_ARGS__);					\
										\
		if (got__ != (want))						\
			unit_fail(__FILE__, __LINE__, "status %d, not %d: %s", got__, want, said);	\
	} while (0)

#define SAID(text)								\
	do {									\
		if (!strstr(said, text))					\
			unit_fail(__FILE__, __LINE__, "no \"%s\" in: %s", text, said);	\
	} while (0)

#endif
