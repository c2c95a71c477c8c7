// SPDX-License-Identifier: GPL-2.0
/* stats and top: what they make of counters and histograms. */
#include <arpa/inet.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "adm_run.h"
#include "rates.h"
#include "top.h"

#define S	"targets/scst_local/t/sessions/s"

static bool close_to(double got, double want)
{
	double d = got - want;

	return (d < 0 ? -d : d) <= (want < 0 ? -want : want) * 1e-6 + 1e-9;
}

#define CHECK_NEAR(got, want)							\
	do {									\
		double got__ = (got), want__ = (want);				\
										\
		if (!close_to(got__, want__))					\
			unit_fail(__FILE__, __LINE__, "%s is %g, not %g", #got, got__, want__);	\
	} while (0)

/* ---- histograms ------------------------------------------------------- */

/* An octave's line with one count in one of @nr slots */
static char *octave(unsigned long long low, unsigned int slot, unsigned int nr,
		    unsigned long long count)
{
	struct text t = { 0 };
	unsigned int i;

	text_add(&t, "%llu", low);
	for (i = 0; i < nr; i++)
		text_add(&t, " %llu", i == slot ? count : 0);
	text_add(&t, "\n");
	return text_take(&t);
}

static void refused(const char *text)
{
	struct latency lat;

	if (latency_parse(&lat, text))
		unit_fail(__FILE__, __LINE__, "\"%s\" is accepted", text);
}

#define HEAD	"count 1\nsum 1\nmax 1\n"
#define ZEROES	" 0 0 0 0 0 0 0 0 0 0"

TEST(latency_text)
{
	struct latency lat;

	CHECK(latency_parse(&lat, "") && !lat.measured);
	CHECK(latency_parse(&lat, "count 0\nsum 0\nmax 0\n") && lat.measured);
	CHECK_NEAR(latency_percentile(&lat, 50), -1);
	CHECK(latency_parse(&lat, "count 5\nsum 5133\nmax 2047\n0 1 1" ZEROES ZEROES ZEROES "\n"
			    "1024 1" ZEROES ZEROES ZEROES " 2\n"));
	CHECK_EQ(lat.count, 5);
	CHECK_EQ(lat.sum, 5133);
	CHECK_EQ(lat.slot[1], 1);
	CHECK_EQ(lat.slot[3 * 32 + 31], 2);
	CHECK_EQ(latency_below(&lat, 0), 2);
	CHECK_EQ(latency_below(&lat, 3), 5);
	CHECK_NEAR(latency_octave_end(0), 256e-9);
	CHECK_NEAR(latency_octave_end(3), 2048e-9);
	CHECK_NEAR(latency_percentile(&lat, 100), 2047);
	CHECK_NEAR(latency_percentile(&lat, 0), 8);
	refused("x");
	refused("count 1\n");
	refused(HEAD "1000 1" ZEROES ZEROES ZEROES " 0\n");
	refused(HEAD "1024 1 2\n");
	refused(HEAD "0 1" ZEROES ZEROES ZEROES " 0 7\n");
	refused(HEAD "0 1" ZEROES ZEROES ZEROES " x\n");
	refused(HEAD "68719476736 1" ZEROES ZEROES ZEROES " 0\n");
}

/* Sixteen numbers are of pairs; what is compared with them becomes as coarse. */
TEST(coarse_latency)
{
	char *line = octave(1048576, 3, 16, 9), *text = xprintf("count 9\nsum 99\nmax 2000000\n%s", line);
	struct latency coarse, fine;

	CHECK(latency_parse(&coarse, text) && coarse.coarse);
	CHECK_EQ(coarse.slot[13 * 32 + 6], 5);
	CHECK_EQ(coarse.slot[13 * 32 + 7], 4);
	CHECK_EQ(latency_below(&coarse, 13), 9);
	free(line);
	free(text);
	line = octave(1048576, 7, 32, 6);
	text = xprintf("count 6\nsum 66\nmax 2000000\n%s", line);
	CHECK(latency_parse(&fine, text) && !fine.coarse);
	latency_since(&coarse, &fine);
	CHECK_EQ(coarse.count, 3);
	CHECK_EQ(coarse.slot[13 * 32 + 6] + coarse.slot[13 * 32 + 7], 3);
	free(line);
	free(text);
}

/* Counts of evenly spread samples from 1 to 999,999 ns, made as the kernel does */
static void spread_out(struct latency *lat)
{
	unsigned long long v;
	unsigned int octave_nr;

	memset(lat, 0, sizeof(*lat));
	lat->measured = true;
	for (v = 1; v < 1000000; v++) {
		if (v < 256) {
			lat->slot[v / 8]++;
		} else {
			octave_nr = 63 - __builtin_clzll(v);
			lat->slot[(octave_nr - 7) * 32 + (v >> (octave_nr - 5) & 31)]++;
		}
		lat->count++;
		lat->sum += v;
	}
	lat->max = v - 1;
}

TEST(percentiles_are_exact_enough)
{
	static const double percents[] = { 1, 10, 50, 90, 99, 99.9, 99.99 };
	struct latency lat;
	double got, want;
	size_t i;

	spread_out(&lat);
	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		got = latency_percentile(&lat, percents[i]);
		want = percents[i] * 10000;
		if (got < want * 0.998 || got > want * 1.002)
			unit_fail(__FILE__, __LINE__, "p%g is %g, not %g", percents[i], got, want);
	}
}

TEST(latency_between_two_looks)
{
	struct latency a, b, cleared = { .measured = true, .count = 1, .sum = 10, .max = 10 };

	spread_out(&a);
	b = a;
	b.count += 100;
	b.sum += 100 * 3000000;
	b.slot[(21 - 7) * 32 + 12] += 100;	/* around 3 ms */
	latency_since(&b, &a);
	CHECK_EQ(b.count, 100);
	CHECK_EQ(b.sum, 300000000);
	b.max = 4000000;
	CHECK(latency_percentile(&b, 50) > 2.88e6 && latency_percentile(&b, 50) < 3.05e6);
	cleared.slot[0] = 1;
	latency_since(&cleared, &a);
	CHECK_EQ(cleared.count, 1);
}

/* ---- rates ------------------------------------------------------------ */

TEST(rates)
{
	struct lun before = {
		.io = { .time = 10, .read_cmds = 100, .write_cmds = 50, .read_kb = 400 },
	}, now;
	struct rates r;

	now = before;
	now.io.time = 12;
	now.io.read_cmds = 2100;
	now.io.write_cmds = 20;			/* cleared meanwhile */
	now.io.read_kb = 400 + 2000 * 4;
	now.io.active = 7;
	rates_of_lun(&r, &now, &before);
	CHECK_NEAR(r.seconds, 2);
	CHECK_NEAR(r.reads, 1000);
	CHECK_NEAR(r.writes, 0);
	CHECK_NEAR(r.read_mb, 4.096);
	CHECK_NEAR(r.depth, 7);
	CHECK(r.p50 < 0 && r.p999 < 0);
	/* 2000 commands of 4 ms in 2 s are 4 at a time. */
	now.read.measured = true;
	now.read.count = 2000;
	now.read.sum = 2000 * 4000000ULL;
	now.read.max = 4100000;
	now.read.slot[(21 - 7) * 32 + 30] = 2000;
	rates_of_lun(&r, &now, &before);
	CHECK_NEAR(r.depth, 4);
	CHECK(r.p50 > 3.9e6 && r.p50 <= 4.1e6 && r.p999 > r.p50 && r.p999 <= 4.1e6);
	rates_of_lun(&r, &now, NULL);
	CHECK_NEAR(r.seconds, 0);
	CHECK(r.p50 > 0);
}

/* ---- on the simulated tree -------------------------------------------- */

static void put(const char *dir, const char *name, const char *value)
{
	k_file(&kernel, dir, name, 0644, value, false);
}

static void put_lun(unsigned int lun, const char *device, const char *reads, const char *latency)
{
	char *dir = xprintf(S "/lun%u", lun), *path = xprintf("%s/read_latency", dir);

	RUN(0, "add handlers/vdisk_nullio/%s", device);
	RUN(0, "add t/luns/%u device=%s", lun, device);
	k_dir(&kernel, dir);
	put(dir, "active_commands", "3");
	put(dir, "read_cmd_count", reads);
	put(dir, "write_cmd_count", "0");
	put(dir, "other_cmd_count", "5");
	put(dir, "read_io_count_kb", "4096");
	put(dir, "write_io_count_kb", "0");
	k_store(kernel.root, path, latency, 0444);
	free(path);
	free(dir);
}

/* A target with a session that has two LUNs, of which one was measured */
static void begin_stats(void)
{
	char *line = octave(1048576, 16, 32, 1000), *text;

	begin();
	k_store(kernel.root, "measure_latency", "0\n", 0644);
	k_store(kernel.defaults, "measure_latency", "0", 0644);
	RUN(0, "add scst_local/t session_name=s");
	k_link(&kernel, S "/luns", "../../luns");
	put(S, "active_commands", "6");
	put(S, "read_cmd_count", "1010");
	put(S, "read_io_count_kb", "4136");
	text = xprintf("count 1000\nsum 1600000000\nmax 1638399\n%s", line);
	put_lun(0, "disk0", "1000", text);
	put_lun(10, "disk10", "10", "");
	free(text);
	free(line);
}

TEST(prometheus)
{
	static const char *const lines[] = {
		"skua_up 1\n", "skua_latency_measured 0\n", "skua_sessions 1\n",
		"# TYPE skua_lun_latency_seconds histogram\n",
		"skua_lun_commands_total{driver=\"scst_local\",target=\"t\",session=\"s\",initiator=\"s\","
		"group=\"\",lun=\"0\",device=\"disk0\",direction=\"read\"} 1000\n",
		"lun=\"10\",device=\"disk10\",direction=\"read\"} 10\n",
		"lun=\"0\",device=\"disk0\"} 3\n",
		"skua_lun_bytes_total{driver=\"scst_local\",target=\"t\",session=\"s\",initiator=\"s\","
		"group=\"\",lun=\"0\",device=\"disk0\",direction=\"read\"} 4194304\n",
		"lun=\"0\",device=\"disk0\",direction=\"read\",le=\"0.001048576\"} 0\n",
		"lun=\"0\",device=\"disk0\",direction=\"read\",le=\"0.002097152\"} 1000\n",
		"lun=\"0\",device=\"disk0\",direction=\"read\",le=\"+Inf\"} 1000\n",
		"skua_lun_latency_seconds_sum{driver=\"scst_local\",target=\"t\",session=\"s\","
		"initiator=\"s\",group=\"\",lun=\"0\",device=\"disk0\",direction=\"read\"} 1.600000000\n",
	};
	size_t i;

	begin_stats();
	RUN(0, "stats --prometheus");
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		SAID(lines[i]);
	CHECK(!strstr(said, "device=\"disk10\",direction=\"read\",le="));
	end();
}

TEST(stats_command_line)
{
	begin_stats();
	RUN(EXIT_USAGE, "stats --json --prometheus");
	RUN(EXIT_USAGE, "stats --json --listen 1");
	RUN(EXIT_USAGE, "stats --json --textfile x");
	RUN(EXIT_USAGE, "stats --prometheus --rates");
	RUN(EXIT_USAGE, "stats --prometheus --interval 5");
	RUN(EXIT_USAGE, "stats --prometheus --textfile a --listen 1");
	RUN(EXIT_USAGE, "stats --json --rates=no");
	RUN(EXIT_USAGE, "stats --json more");
#ifdef HAVE_HTTP
	RUN(EXIT_FAILED, "stats --prometheus --listen nowhere:1");
	SAID("no address to listen on");
	RUN(EXIT_FAILED, "stats --prometheus --listen :1");
	RUN(EXIT_FAILED, "stats --prometheus --listen 127.0.0.1:http");
	RUN(EXIT_FAILED, "stats --prometheus --listen 192.0.2.1:9999");
	SAID("Cannot assign requested address");
#endif
	end();
}

TEST(textfile)
{
	char path[100];
	struct stat st;
	size_t len;
	char *text;

	begin_stats();
	snprintf(path, sizeof(path), "%s/skua.prom", kernel.defaults);
	RUN(0, "stats --prometheus --textfile %s", path);
	text = read_all(path, &len);
	CHECK(text && strstr(text, "skua_up 1\n") && strstr(text, "skua_lun_latency_seconds_count{"));
	free(text);
	CHECK(!stat(path, &st));
	CHECK_EQ(st.st_mode & 07777, 0644);
	setenv("SKUAADM_ROOT", "/nonexistent/scst_tgt", 1);
	RUN(0, "stats --prometheus --textfile %s", path);
	text = read_all(path, &len);
	CHECK(text && strstr(text, "skua_up 0\n") && !strstr(text, "skua_sessions"));
	free(text);
	RUN(EXIT_FAILED, "stats --prometheus --textfile /nonexistent/file");
	end();
}

#ifdef HAVE_JSON
TEST(json_stats)
{
	begin_stats();
	RUN(0, "stats --json");
	SAID("\"latency_measured\": false");
	SAID("\"device\": \"disk10\"");
	SAID("\"p50_us\": 1589.248");
	SAID("\"max_us\": 1638.399");
	CHECK(!strstr(said, "\"rates\""));
	RUN(0, "stats --json --rates=0.1");
	SAID("\"rates\"");
	SAID("\"reads\": 0.000");
	end();
}
#endif

TEST(top_batch)
{
	begin_stats();
	RUN(EXIT_USAGE, "top --batch 0");
	RUN(EXIT_USAGE, "top --batch x");
	RUN(EXIT_USAGE, "top --interval 0");
	RUN(EXIT_USAGE, "top --sort colour");
	RUN(EXIT_USAGE, "top a b");
	RUN(EXIT_FAILED, "top nosuch");
	RUN(0, "top --batch 2 --interval 0.1");
	SAID("1 session  0 read/s 0.0 MB/s  0 write/s 0.0 MB/s  latency is not measured\nvSESSION ");
	CHECK(strstr(strstr(said, "vSESSION") + 1, "vSESSION") != NULL);
	CHECK(!strstr(said, "DEVICE") && !strchr(said, '\033'));
	RUN(0, "top -i 0.1 --luns --sort p99 t");
	SAID("vP99");
	SAID("    0 disk0 ");
	SAID("   10 disk10 ");
	RUN(0, "top -b1 -i0.1 iscsi");
	CHECK(!strstr(said, "\ns "));
	end();
}

/* The switch is set back, also if it was there that it was off. */
TEST(top_measures)
{
	char *text;

	begin_stats();
	RUN(0, "top --batch 1 --interval 0.1 --measure");
	CHECK(!strstr(said, "not measured"));
	text = k_load(kernel.root, "measure_latency");
	CHECK_STR(text, "0\n");
	free(text);
	CHECK_EQ(unlink((text = k_path(kernel.root, "measure_latency"))), 0);
	free(text);
	RUN(EXIT_FAILED, "top --batch 1 --measure");
	SAID("measure_latency: No such file or directory");
	end();
}

TEST(sorting)
{
	struct session s[] = {
		{ .driver = "d", .target = "t", .name = "s10", .io.time = 1 },
		{ .driver = "d", .target = "t", .name = "s2", .io.time = 1 },
	}, old[] = {
		{ .driver = "d", .target = "t", .name = "s10" },
		{ .driver = "d", .target = "t", .name = "s2" },
	};
	struct sample now = { .v = s, .nr = 2, .time = 1 }, before = { .v = old, .nr = 2 };
	struct rows rows = { 0 };
	int key;

	s[0].io.read_cmds = 5;
	s[1].io.read_cmds = 9;
	s[0].io.write_kb = 7;
	rows_make(&rows, &now, &before, false, NULL);
	CHECK_EQ(rows.nr, 2);
	rows_sort(&rows, SORT_NAME, false);
	CHECK_STR(rows.v[0].session->name, "s2");
	rows_sort(&rows, SORT_NAME, true);
	CHECK_STR(rows.v[0].session->name, "s10");
	rows_sort(&rows, SORT_READS, false);
	CHECK_STR(rows.v[0].session->name, "s2");
	rows_sort(&rows, SORT_READS, true);
	CHECK_STR(rows.v[0].session->name, "s10");
	rows_sort(&rows, SORT_WRITE_MB, false);
	CHECK_STR(rows.v[0].session->name, "s10");
	for (key = 0; key < NR_SORT; key++)
		rows_sort(&rows, key, key & 1);
	rows_free(&rows);
	rows_make(&rows, &now, &before, false, "targets/d/u");
	CHECK_EQ(rows.nr, 0);
	rows_free(&rows);
}

/* ---- a terminal ------------------------------------------------------- */

#ifdef HAVE_CURSES
/* Reads what appears until it has @text; true if that comes within ten seconds. */
static bool appears(int fd, const char *text)
{
	struct timeval wait = { .tv_sec = 10 };
	struct text t = { 0 };
	bool found = false;
	char buf[4096];
	fd_set set;
	ssize_t n;

	while (!found) {
		FD_ZERO(&set);
		FD_SET(fd, &set);
		if (select(fd + 1, &set, NULL, NULL, &wait) <= 0)
			break;
		n = read(fd, buf, sizeof(buf));
		if (n <= 0)
			break;
		text_put(&t, buf, n);
		found = memmem(t.s, t.len, text, strlen(text));
	}
	text_free(&t);
	return found;
}

static bool measure_is(const char *value)
{
	int tries;
	bool is = false;

	for (tries = 0; tries < 100 && !is; tries++) {
		char *text = k_load(kernel.root, "measure_latency");

		is = !strncmp(text, value, 1);
		free(text);
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	}
	return is;
}

static int top_child(void)
{
	char *argv[] = { "top", "--interval", "0.2", NULL };

	setenv("TERM", "xterm", 1);
	return run_command(find_command("top"), 3, argv);
}

TEST(top_in_a_terminal)
{
	struct winsize size = { .ws_row = 24, .ws_col = 130 };
	int fd, status;
	pid_t pid;

	begin_stats();
	fflush(stdout);
	pid = forkpty(&fd, NULL, NULL, &size);
	if (!pid)
		_exit(top_child());
	CHECK(appears(fd, "q quit"));
	CHECK_EQ(write(fd, "s", 1), 1);
	CHECK(appears(fd, "disk10"));
	size.ws_col = 60;
	size.ws_row = 10;
	ioctl(fd, TIOCSWINSZ, &size);
	CHECK(appears(fd, "q quit"));
	size.ws_col = 3;
	size.ws_row = 1;
	ioctl(fd, TIOCSWINSZ, &size);
	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	CHECK_EQ(write(fd, ">>>r+- \033[B\033OA", 13), 13);
	size.ws_col = 100;
	size.ws_row = 30;
	ioctl(fd, TIOCSWINSZ, &size);
	CHECK(appears(fd, "OTHER/S"));
	CHECK_EQ(write(fd, "m", 1), 1);
	CHECK(measure_is("1"));
	CHECK_EQ(write(fd, "q", 1), 1);
	while (appears(fd, "nothing such"))
		;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	CHECK(measure_is("0"));
	close(fd);
	/* A signal ends it as q does. */
	pid = forkpty(&fd, NULL, NULL, &size);
	if (!pid)
		_exit(top_child());
	CHECK(appears(fd, "q quit"));
	CHECK_EQ(write(fd, "m", 1), 1);
	CHECK(measure_is("1"));
	kill(pid, SIGTERM);
	while (appears(fd, "nothing such"))
		;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	CHECK(measure_is("0"));
	close(fd);
	end();
}
#endif

/* ---- HTTP ------------------------------------------------------------- */

#ifdef HAVE_HTTP
/* What the exporter answers to a request */
static char *ask(unsigned int port, const char *request)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct timeval wait = { .tv_sec = 10 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct text t = { 0 };
	char buf[4096];
	ssize_t n;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)) &&
	    send(fd, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request))
		while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
			text_put(&t, buf, n);
	close(fd);
	text_put(&t, "", 0);
	return text_take(&t);
}

#define ASK(request, want)							\
	do {									\
		char *got__ = ask(port, request);				\
										\
		if (!strstr(got__, want))					\
			unit_fail(__FILE__, __LINE__, "no \"%s\" in: %s", want, got__);	\
		free(got__);							\
	} while (0)

TEST(exporter)
{
	int out[2], status, silent;
	struct sockaddr_in to = { .sin_family = AF_INET };
	unsigned int port = 0;
	char line[200] = "";
	pid_t pid;

	begin_stats();
	fflush(stdout);
	CHECK(!pipe(out));
	pid = fork();
	if (!pid) {
		char *argv[] = { "stats", "--prometheus", "--listen", "0", NULL };

		dup2(out[1], 1);
		_exit(run_command(find_command("stats"), 4, argv));
	}
	CHECK(read(out[0], line, sizeof(line) - 1) > 0);
	CHECK_EQ(sscanf(line, "http://127.0.0.1:%u/metrics", &port), 1);
	/* One that says nothing keeps nobody out. */
	silent = socket(AF_INET, SOCK_STREAM, 0);
	to.sin_port = htons(port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(!connect(silent, (struct sockaddr *)&to, sizeof(to)));
	ASK("GET /metrics HTTP/1.0\r\n\r\n", "200 OK");
	ASK("GET /metrics HTTP/1.0\r\n\r\n", "text/plain; version=0.0.4");
	ASK("GET /metrics HTTP/1.0\r\n\r\n", "\nskua_sessions 1\n");
	ASK("GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "skua_lun_latency_seconds_sum");
	ASK("HEAD /metrics HTTP/1.0\r\n\r\n", "200 OK");
	ASK("GET /etc/passwd HTTP/1.0\r\n\r\n", "404 Not Found");
	ASK("POST /metrics HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", "405 Method Not Allowed");
	ASK("nonsense\r\n\r\n", "");
	close(silent);
	kill(pid, SIGTERM);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	close(out[0]);
	close(out[1]);
	end();
}
#endif
