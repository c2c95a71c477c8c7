// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile SRP initiator. Logs in to a target through the RDMA/CM, shows that it
 * can behave, then misbehaves in families of attacks. Every attack must end in a
 * reject, a response or a closed channel within a bounded time, and after each
 * family a new login must work. The same seed makes the same attacks.
 *
 * See Documentation/srp-hostile.md.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "srp-client/client.h"

struct options opt = { .seed = 1, .count = 2000, .wait_ms = 10000 };

static const struct family *const tables[] = {
	login_families, iu_families, cmd_families, wild_families,
};

static u32 failures;
static struct stats total;
static u64 running;		/* number of the attack, for families that are no IUs */

/* ---- for the other files ---------------------------------------------- */

u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

void die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "srp-hostile: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	exit(2);
}

static void hex_iu(const struct slot *s)
{
	u32 i, len = s->len < 512 ? s->len : 512;

	fprintf(stderr, "IU, %u bytes:", s->len);
	for (i = 0; i < len; i++)
		fprintf(stderr, "%s%02x", i % 16 ? (i % 4 ? "" : " ") : "\n    ", s->iu[i]);
	fprintf(stderr, "%s\n", len < s->len ? " ..." : "");
}

void blame(struct flow *f, const struct slot *s, const char *fmt, ...)
{
	va_list ap;

	failures++;
	fflush(stdout);
	fprintf(stderr, "FAILURE: family %s, attack %llu, seed %llu: ",
		f ? f->family : "login", (unsigned long long)(s ? s->index : running),
		(unsigned long long)opt.seed);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	if (s && s->iu)
		hex_iu(s);
	if (!opt.keep_going || failures > 50)
		exit(1);
}

/* ---- families --------------------------------------------------------- */

static void seed_rng(struct rng *r, const char *name, u64 i)
{
	r->state = opt.seed * 0x9e3779b97f4a7c15ULL;
	while (*name)
		r->state = (r->state ^ (u8)*name++) * 0x100000001b3ULL;
	r->state ^= i;
	rnd64(r);
}

static void attack(struct flow *f, const struct family *fam, u64 i)
{
	struct rng r;
	struct slot *s;
	bool alone;

	running = i;
	seed_rng(&r, fam->name, i);
	if (fam->run) {
		fam->run(f, &r, i);
		return;
	}
	s = flow_slot(f, false);
	fam->make(f, s, &r, i);
	if (s->flags & X_ALONE && f->nr_out > 1) {
		flow_put(f, s);
		s = flow_slot(f, true);
		seed_rng(&r, fam->name, i);
		fam->make(f, s, &r, i);
	}
	s->index = i;
	alone = s->flags & X_ALONE;
	flow_send(f, s);
	if (alone)
		flow_flush(f);
}

static void add_stats(const struct stats *st)
{
	const u64 *from = (const u64 *)st;
	u64 *to = (u64 *)&total;
	size_t i;

	for (i = 0; i < sizeof(*st) / sizeof(u64); i++)
		to[i] += from[i];
}

static void report(const char *name, const struct stats *st, u64 ms)
{
	const struct {
		const char *what;
		u64 n;
	} parts[] = {
		{ "good", st->good }, { "check", st->check }, { "other", st->other },
		{ "tmf", st->tmfs }, { "silent", st->silent }, { "closed", st->closes },
		{ "lost", st->lost }, { "late", st->late }, { "logins", st->logins },
		{ "rejects", st->rejects },
	};
	u32 i;

	printf("%-12s %7llu IUs, %7llu settled:", name, (unsigned long long)st->sent,
	       (unsigned long long)st->hit);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		printf(" %s=%llu", parts[i].what, (unsigned long long)parts[i].n);
	printf(" %llu.%llu s\n", (unsigned long long)ms / 1000,
	       (unsigned long long)ms / 100 % 10);
	fflush(stdout);
}

/* How much there is to do: IUs that must be dealt with, or attacks. */
static u64 quota(const struct family *fam, bool named)
{
	u64 n = fam->runs ? opt.count * fam->runs / 10000 : opt.count * fam->weight / 1000;

	if (named)
		n = opt.count;
	if (fam->runs)
		return n < 7 ? 7 : n;
	return n < 32 ? 32 : n;
}

static u64 progress(const struct family *fam, const struct stats *st, u64 i)
{
	if (fam->runs)
		return i;
	return fam->run ? st->sent : st->hit;
}

static void run_family(const struct family *fam, bool named)
{
	static struct flow f;
	struct stats st = {};
	u64 i, n = quota(fam, named), start = now_ms();

	flow_init(&f, fam->name, &st);
	f.window = fam->window ?: 32;
	f.no_imm = fam->no_imm;
	if (opt.has_only)
		attack(&f, fam, opt.only);
	for (i = 0; !opt.has_only && progress(fam, &st, i) + f.nr_out < n; i++) {
		attack(&f, fam, i);
		if (i % 64 == 63)
			flow_flush(&f);
	}
	flow_flush(&f);
	flow_drop(&f);
	report(fam->name, &st, now_ms() - start);
	add_stats(&st);
	good_check(fam->name);
}

static void run_all(char *const *names)
{
	const struct family *fam;
	u32 t, i;
	bool any = false;

	for (t = 0; t < ARRAY_SIZE(tables); t++)
		for (fam = tables[t]; fam->name; fam++) {
			bool named = false;

			for (i = 0; names[i]; i++)
				named |= !strcmp(names[i], fam->name);
			if (named || !names[0])
				run_family(fam, named);
			any |= named || !names[0];
		}
	if (!any)
		die("no such family; see --list");
}

/* ---- command line ----------------------------------------------------- */

static void usage(FILE *to)
{
	fprintf(to,
		"srp-hostile [OPTIONS] ADDRESS PORT GUID [FAMILY...]\n"
		"  GUID: the target's service GUID, 16 hex digits; FAMILY: default all\n"
		"  --seed N        what random attacks start from (1)\n"
		"  --count N       IUs, shared out among the families; of each, if some\n"
		"                  are named (2000)\n"
		"  --only N        just attack number N of the families named\n"
		"  --src ADDRESS   log in from this address\n"
		"  --lun N         logical unit to use; it is written to (0)\n"
		"  --wait SECONDS  no answer after this is a failure (10)\n"
		"  --big MIB       before all else, write and read MIB at once through a table\n"
		"                  outside the IU that has every page of its own (0)\n"
		"  --good          no attacks, only show that the client can behave\n"
		"  --lenient       IUs that cannot be answered may be ignored, and\n"
		"                  malformed logins accepted\n"
		"  --keep-going    do not stop at the first failure\n"
		"  --list          list the families\n"
		"  --verbose\n"
		"Exit status: 0 all attacks ended as they must, 1 one did not, 2 other\n");
}

static void list(void)
{
	const struct family *fam;
	u32 t;

	for (t = 0; t < ARRAY_SIZE(tables); t++)
		for (fam = tables[t]; fam->name; fam++)
			printf("%-12s %s\n", fam->name, fam->what);
}

static struct addrinfo *address(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
	struct addrinfo *info;
	int ret = getaddrinfo(host, port, &hints, &info);

	if (ret)
		die("%s: %s", host, gai_strerror(ret));
	return info;
}

static u64 parse_u64(const char *text, int base)
{
	char *end;
	u64 n = strtoull(text, &end, base);

	if (!*text || *end)
		die("'%s' is no number", text);
	return n;
}

enum {
	O_SEED = 1, O_COUNT, O_BIG, O_ONLY, O_SRC, O_LUN, O_WAIT, O_GOOD, O_LENIENT, O_KEEP, O_LIST,
	O_VERBOSE, O_HELP,
};

static const struct option longs[] = {
	{ "seed", 1, NULL, O_SEED }, { "count", 1, NULL, O_COUNT }, { "only", 1, NULL, O_ONLY },
	{ "big", 1, NULL, O_BIG },
	{ "src", 1, NULL, O_SRC }, { "lun", 1, NULL, O_LUN }, { "wait", 1, NULL, O_WAIT },
	{ "good", 0, NULL, O_GOOD }, { "lenient", 0, NULL, O_LENIENT },
	{ "keep-going", 0, NULL, O_KEEP }, { "list", 0, NULL, O_LIST },
	{ "verbose", 0, NULL, O_VERBOSE }, { "help", 0, NULL, O_HELP }, { }
};

static bool parse_options(int argc, char **argv)
{
	bool good = false;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case O_SEED:
			opt.seed = parse_u64(optarg, 0);
			break;
		case O_COUNT:
			opt.count = parse_u64(optarg, 0);
			break;
		case O_BIG:
			opt.big = parse_u64(optarg, 0);
			break;
		case O_ONLY:
			opt.only = parse_u64(optarg, 0);
			opt.has_only = true;
			break;
		case O_SRC:
			opt.src = address(optarg, NULL);
			break;
		case O_LUN:
			put16(opt.lun, parse_u64(optarg, 0));
			break;
		case O_WAIT:
			opt.wait_ms = parse_u64(optarg, 0) * 1000;
			break;
		case O_GOOD:
			good = true;
			break;
		case O_LENIENT:
			opt.lenient = true;
			break;
		case O_KEEP:
			opt.keep_going = true;
			break;
		case O_VERBOSE:
			opt.verbose = true;
			break;
		case O_LIST:
			list();
			exit(0);
		case O_HELP:
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (argc - optind < 3) {
		usage(stderr);
		exit(2);
	}
	return good;
}

int main(int argc, char **argv)
{
	bool good = parse_options(argc, argv);
	u64 start = now_ms();
	struct rng r;

	argv += optind;
	opt.dst = address(argv[0], argv[1]);
	put64(opt.tport, parse_u64(argv[2], 16));
	memcpy(opt.tport + 8, opt.tport, 8);
	/* The seed makes the name, so that two clients are two initiators. */
	seed_rng(&r, "initiator port", 0);
	rnd_bytes(&r, opt.iport, 16);
	setvbuf(stdout, NULL, _IOLBF, 0);
	conn_init();
	good_io();
	if (opt.big)
		good_big(opt.big);
	if (!good) {
		run_all(argv + 3);
		report("total", &total, now_ms() - start);
		good_io();
	}
	printf("%u failures\n", failures);
	return failures ? 1 : 0;
}
