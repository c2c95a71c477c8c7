// SPDX-License-Identifier: GPL-2.0
/* Metrics by HTTP, with libmicrohttpd. */
#include "cmd.h"
#include "prometheus.h"

#ifdef HAVE_HTTP
#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#define CONNECTIONS	16		/* at a time */
#define TIMEOUT		10		/* seconds, for one that says nothing */

bool exporter_there(void)
{
	return true;
}

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned int status, char *text,
			     size_t len, const char *type)
{
	struct MHD_Response *response;
	enum MHD_Result r;

	response = MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(text);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	r = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return r;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int status,
			      const char *text)
{
	return reply(connection, status, xstrdup(text), strlen(text), "text/plain");
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *data_size, void **state)
{
	static int seen;
	size_t len;
	char *text;

	(void)arg;
	(void)version;
	(void)data;
	if (!*state) {			/* the headers; a body may follow, which is not looked at */
		*state = &seen;
		return MHD_YES;
	}
	if (*data_size) {
		*data_size = 0;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (strcmp(url, "/metrics") && strcmp(url, "/"))
		return refuse(connection, MHD_HTTP_NOT_FOUND, "it is /metrics\n");
	text = prometheus_text(&len);
	if (!text)
		return MHD_NO;
	return reply(connection, MHD_HTTP_OK, text, len,
		     "text/plain; version=0.0.4; charset=utf-8");
}

/* "9101", "10.0.0.1:9101" or "[::]:9101" */
static bool split_address(const char *address, char **host, char **port)
{
	const char *colon = strrchr(address, ':');
	size_t len = colon ? colon - address : 0;

	*port = xstrdup(colon ? colon + 1 : address);
	if (len >= 2 && address[0] == '[' && address[len - 1] == ']')
		*host = xstrndup(address + 1, len - 2);
	else
		*host = colon ? xstrndup(address, len) : xstrdup("127.0.0.1");
	return **host && **port;
}

/* A listening socket, or -1 after it has said why */
static int listen_on(const char *address)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE, .ai_socktype = SOCK_STREAM,
	}, *list = NULL;
	int fd = -1, one = 1, r = EAI_NONAME;
	char *host, *port;

	if (split_address(address, &host, &port))
		r = getaddrinfo(host, port, &hints, &list);
	free(host);
	free(port);
	if (r) {
		complain("%s is no address to listen on: [ADDRESS:]PORT, in numbers", address);
		return -1;
	}
	fd = socket(list->ai_family, list->ai_socktype | SOCK_CLOEXEC, list->ai_protocol);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) || listen(fd, CONNECTIONS)) {
		complain("%s: %s", address, strerror(errno));
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	freeaddrinfo(list);
	return fd;
}

static void say_where(int fd)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (getsockname(fd, (struct sockaddr *)&address, &len) ||
	    getnameinfo((struct sockaddr *)&address, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	printf(strchr(host, ':') ? "http://[%s]:%s/metrics\n" : "http://%s:%s/metrics\n", host, port);
	fflush(stdout);
}

/**
 * exporter_run() - answer requests for metrics until a signal ends it
 * @address: where: [ADDRESS:]PORT
 *
 * The core may come and go meanwhile: skua_up tells.
 *
 * Return: what to exit with.
 */
int exporter_run(const char *address)
{
	struct MHD_Daemon *daemon;
	int fd = listen_on(address), sig;
	sigset_t set, old;

	if (fd < 0)
		return EXIT_FAILED;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, NULL,
				  MHD_OPTION_LISTEN_SOCKET, fd,
				  MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS,
				  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)TIMEOUT,
				  MHD_OPTION_END);
	if (!daemon) {
		complain("the HTTP server does not start");
		close(fd);
	} else {
		say_where(fd);
		sigwait(&set, &sig);
		MHD_stop_daemon(daemon);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return daemon ? EXIT_OK : EXIT_FAILED;
}

#else

bool exporter_there(void)
{
	complain("built without libmicrohttpd: no --listen; --textfile works");
	return false;
}

int exporter_run(const char *address)
{
	(void)address;
	return EXIT_FAILED;
}

#endif
