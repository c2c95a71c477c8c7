// SPDX-License-Identifier: GPL-2.0
/* RDMA devices and ports: what sysfs tells, and what libibverbs adds to it. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

#define CLASS	"/sys/class/infiniband/"

/* Such as "4: ACTIVE" */
static char *port_value(const char *port, const char *name)
{
	char *path = xprintf(CLASS "%s/%s", port, name), *value;
	size_t len;

	value = read_all(path, &len);
	free(path);
	if (value)
		value[strcspn(value, "\n")] = '\0';
	return value ? value : xstrdup("?");
}

#ifdef HAVE_VERBS
#include <infiniband/verbs.h>

/* Gb/s of one lane */
static double lane_speed(unsigned int speed)
{
	static const struct {
		unsigned int code;
		double gbps;
	} speeds[] = {
		{ 1, 2.5 }, { 2, 5 }, { 4, 10 }, { 8, 10 }, { 16, 14 }, { 32, 25 }, { 64, 50 },
		{ 128, 100 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speeds[i].code == speed)
			return speeds[i].gbps;
	return 0;
}

static unsigned int lanes(unsigned int width)
{
	return width == 16 ? 2 : width;
}

/* Rate, MTU and address of an active port */
static char *port_details(struct ibv_context *context, unsigned int port)
{
	struct ibv_port_attr attr;
	struct text t = { 0 };
	union ibv_gid gid;
	unsigned int i;
	double gbps;

	if (ibv_query_port(context, port, &attr))
		return xstrdup("");
	gbps = lane_speed(attr.active_speed) * lanes(attr.active_width);
	if (gbps > 0)
		text_add(&t, ", %g Gb/s", gbps);
	if (attr.active_mtu >= IBV_MTU_256 && attr.active_mtu <= IBV_MTU_4096)
		text_add(&t, ", MTU %u", 128U << attr.active_mtu);
	if (!ibv_query_gid(context, port, 0, &gid)) {
		text_add(&t, ", GID ");
		for (i = 0; i < sizeof(gid.raw); i++)
			text_add(&t, "%s%02x", i && !(i & 1) ? ":" : "", gid.raw[i]);
	}
	return text_take(&t);
}

static void look_at_device(struct ibv_context *context, const char *name)
{
	struct ibv_device_attr attr;

	if (ibv_query_device(context, &attr)) {
		problem("look at the kernel log", "RDMA device %s does not answer: %s", name,
			strerror(errno));
		return;
	}
	fine("RDMA device %s: %d queue pairs of %d requests with %d pieces, %d registrations%s%s",
	     name, attr.max_qp, attr.max_qp_wr, attr.max_sge, attr.max_mr,
	     *attr.fw_ver ? ", firmware " : "", attr.fw_ver);
	if (!(attr.device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS))
		fine("RDMA device %s has no fast registration; the target needs none", name);
}

/* Opens a device; says why not. NULL then. */
static struct ibv_context *open_device(struct ibv_device **list, const char *name)
{
	struct ibv_context *context;
	size_t i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			break;
	if (!list || !list[i]) {
		problem("modprobe ib_uverbs, and install the provider libraries (ibverbs-providers); "
			"only programs of user space need them",
			"RDMA device %s is not there for programs", name);
		return NULL;
	}
	context = ibv_open_device(list[i]);
	if (!context)
		problem("look at the permissions of /dev/infiniband",
			"RDMA device %s cannot be opened: %s", name, strerror(errno));
	else
		look_at_device(context, name);
	return context;
}

#else

/* Without the library there is only what sysfs tells. */
struct ibv_device;
struct ibv_context;

static struct ibv_device **ibv_get_device_list(int *nr)
{
	(void)nr;
	return NULL;
}

static void ibv_free_device_list(struct ibv_device **list)
{
	(void)list;
}

static struct ibv_context *open_device(struct ibv_device **list, const char *name)
{
	(void)list;
	(void)name;
	return NULL;
}

static void ibv_close_device(struct ibv_context *context)
{
	(void)context;
}

static char *port_details(struct ibv_context *context, unsigned int port)
{
	(void)context;
	(void)port;
	return xstrdup("");
}
#endif

/* @port is DEVICE/ports/N. */
static void look_at_port(struct ibv_context *context, const char *port)
{
	char *state = port_value(port, "state"), *link = port_value(port, "link_layer");
	char *phys = port_value(port, "phys_state"), *details;
	unsigned int nr = strtoul(strrchr(port, '/') + 1, NULL, 10);

	details = context ? port_details(context, nr) : xstrdup("");
	if (strstr(state, "ACTIVE"))
		fine("RDMA port %.*s %u (%s) is active%s", (int)strcspn(port, "/"), port, nr, link,
		     details);
	else
		problem(strstr(link, "Ethernet") ?
			"check the cable and the switch; ip link set NETDEV up" :
			"check the cable, the switch, and the subnet manager (opensm)",
			"RDMA port %.*s %u (%s) is %s, its link %s", (int)strcspn(port, "/"), port, nr,
			link, state, phys);
	free(state);
	free(link);
	free(phys);
	free(details);
}

/**
 * look_at_ports() - RDMA devices and ports
 *
 * Return: whether there is any.
 */
bool look_at_ports(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;
	glob_t devices = { 0 }, ports;
	char *pattern;
	size_t i, k;

	glob(CLASS "*", 0, NULL, &devices);
	if (!devices.gl_pathc)
		fine("no RDMA device: iSCSI over TCP only");
	for (i = 0; i < devices.gl_pathc; i++) {
		context = open_device(list, devices.gl_pathv[i] + strlen(CLASS));
		pattern = xprintf("%s/ports/*", devices.gl_pathv[i]);
		memset(&ports, 0, sizeof(ports));
		glob(pattern, 0, NULL, &ports);
		for (k = 0; k < ports.gl_pathc; k++)
			look_at_port(context, ports.gl_pathv[k] + strlen(CLASS));
		globfree(&ports);
		free(pattern);
		if (context)
			ibv_close_device(context);
	}
	i = devices.gl_pathc;
	globfree(&devices);
	if (list)
		ibv_free_device_list(list);
	return i;
}
