/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The iSCSI target: what all movers of data share. nego.h and pdu.h are the pure part,
 * tcp.h is TCP's own.
 *
 *	main.c		module, the transport's table
 *	target.c	targets: configuration and lookup
 *	portal.c	portals, and the movers that listen there
 *	users.c		CHAP users, allowed portals, and the commands that change them
 *	attrs.c		files of targets and of the driver
 *	sess_attrs.c	files of sessions
 *	conn.c		a connection's life, as far as it is the same for all movers
 *	session.c	what a login asks of the outside: targets, sessions
 *	ctl.c		PDUs without SCSI commands or data
 *	hash.c		digests of CHAP
 *
 * A mover (TCP, iSER) owns the stream of PDUs of its connections: it embeds struct
 * iscsit_conn, takes SCSI commands and their data itself, hands every other PDU to
 * iscsit_login_pdu() and iscsit_ctl_pdu(), and sends what these give to ->send().
 * These two get one PDU at a time of a connection, in order, in process context.
 *
 * Locks, outer to inner: iscsit_mutex (targets, movers, portals); target->login (one
 * login at a time; the target's end); target->lock, users->lock (configuration);
 * the mover's; conn->sn_lock (leaf).
 */
#ifndef SKUA_ISCSIT_H
#define SKUA_ISCSIT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/socket.h>
#include <linux/workqueue.h>

#include "skua.h"
#include "nego.h"
#include "pdu.h"

#define ISCSIT_MAX_DSL		1048576		/* longest data segment, bytes */
#define ISCSIT_MAX_DEPTH	2048
#define ISCSIT_SPARE_SLOTS	8		/* for immediate commands */
#define ISCSIT_ADDR_LEN		64		/* an address and a port in text */
#define ISCSIT_TEXT_ROOM	65536		/* longest answer of SendTargets */
#define ISCSIT_NR_MOVERS	2

struct iscsit_conn;
struct iscsit_ctl;

/* ---- movers ----------------------------------------------------------- */

/**
 * struct iscsit_mover - a way to move PDUs and data
 * @name: as the file "transport" of a connection shows it
 * @portal: as a portal's list of movers names it
 * @rdma: an RDMA one: RFC 7145 holds
 * @max_recv: longest data segment that it receives with a PDU which is no SCSI
 *	command; 0: whatever the target declares
 * @listen: open a portal; a cookie for @unlisten, or an error pointer (-EAFNOSUPPORT:
 *	this machine has no such addresses). Process context, iscsit_mutex is held
 * @unlisten: close it; no connection comes from it after that
 * @alloc_queue: make conn->q with conn->depth + ISCSIT_SPARE_SLOTS slots, through
 *	iscsit_queue_init(). Process context. 0 or -errno
 * @start, @respond: as in struct skua_transport
 * @send: send a PDU that common code made; any context. Ends in iscsit_ctl_free(). What
 *	the members of struct iscsit_ctl say is honoured
 * @close: begin the end of a connection; idempotent, any context. Ends in
 *	iscsit_conn_end()
 * @free: free the connection and conn->q; process context
 * @orphan: free what hangs on the slots of conn->q, which the core will free
 * @has_task: is a command with this Initiator Task Tag in progress? Called where PDUs
 *	are handled
 * @aborted: optional: commands were aborted; end those that wait for data which the
 *	initiator may never send: slots for which skua_cmd_aborting() holds. Any context,
 *	must not sleep
 */
struct iscsit_mover {
	const char *name;
	const char *portal;
	struct module *owner;
	bool rdma;
	u32 max_recv;
	void *(*listen)(const struct sockaddr_storage *addr);
	void (*unlisten)(void *cookie);
	int (*alloc_queue)(struct iscsit_conn *conn);
	void (*start)(struct skua_cmd *cmd, bool may_sleep);
	void (*respond)(struct skua_cmd *cmd);
	void (*send)(struct iscsit_conn *conn, struct iscsit_ctl *ctl);
	void (*close)(struct iscsit_conn *conn);
	void (*free)(struct iscsit_conn *conn);
	void (*orphan)(struct iscsit_conn *conn);
	bool (*has_task)(struct iscsit_conn *conn, __be32 itt);
	void (*aborted)(struct iscsit_conn *conn);
};

int iscsit_mover_register(const struct iscsit_mover *mover);
void iscsit_mover_unregister(const struct iscsit_mover *mover);

/* ---- files that come and go -------------------------------------------- */

/**
 * struct iscsit_item - a value with a file of its own
 * @attr: its show() takes no mutex
 * @shown: the file is there
 * @file: the file's name
 */
struct iscsit_item {
	struct skua_attr attr;
	bool shown;
	char file[24];
};

int iscsit_item_show(struct iscsit_item *item, const char *base, umode_t mode,
		     struct skua_tgt *tgt, const char *group);
void iscsit_item_hide(struct iscsit_item *item, struct skua_tgt *tgt, const char *group);

/* portal.c */
int iscsit_portal_add(const char *text, const char *only);
int iscsit_portal_del(const char *text);
void iscsit_portals_init(void);
void iscsit_portals_exit(void);

/* ---- targets ---------------------------------------------------------- */

struct iscsit_attr_values {
	u32 ours[ISCSI_NR_VALUES];
	u32 max_xmit;
	u32 depth;			/* QueuedCommands */
	u32 nop_interval, nop_timeout, rsp_timeout;	/* seconds */
	u32 max_sessions;		/* 0: any number */
	u32 rdma;			/* RDMAExtensions: logins over RDMA are welcome */
	u32 per_portal_acl;
};

/* CHAP users and allowed portals of a target, or users of discovery sessions: users.c */
struct iscsit_users {
	struct mutex mutex;
	struct list_head list;
};

/**
 * struct iscsit_target - a target as configured
 * @link: iscsit_targets, under iscsit_mutex
 * @tgt: the core's; valid until @dead
 * @tid: number of the target
 * @login: serializes logins; @dead
 * @nr_sessions: logged in
 * @lock: @conf, @alias, @redirect, @redirect_perm
 * @redirect: ADDRESS[:PORT] where initiators are sent instead, or ""
 */
struct iscsit_target {
	struct list_head link;
	struct kref refs;
	struct skua_tgt *tgt;
	u32 tid;
	struct mutex login;
	bool dead;
	atomic_t nr_sessions;
	spinlock_t lock;
	struct iscsit_attr_values conf;
	char alias[ISCSI_VALUE_MAX + 1];
	char redirect[ISCSIT_ADDR_LEN];
	bool redirect_perm;
	struct iscsit_users users;
	char name[];
};

extern struct skua_driver *iscsit_driver;
extern struct workqueue_struct *iscsit_wq;
extern struct mutex iscsit_mutex;
extern bool iscsit_enabled;
extern struct iscsit_users iscsit_discovery_users;

int iscsit_add_target(const char *name, char *params);
int iscsit_del_target(struct skua_tgt *tgt);
void iscsit_targets_end(void);
struct iscsit_target *iscsit_target_get(const char *name);
void iscsit_target_put(struct iscsit_target *target);
void iscsit_targets_visit(void (*fn)(struct iscsit_target *target, void *arg), void *arg);

/* attrs.c, sess_attrs.c */
extern const struct skua_attr *const iscsit_drv_attrs[];
extern const struct skua_attr *const iscsit_tgt_attrs[];
extern const struct skua_attr *const iscsit_sess_attrs[];
extern const struct skua_attr *const iscsit_conn_attrs[];
void iscsit_conf_defaults(struct iscsit_attr_values *conf);
int iscsit_set_param(struct iscsit_target *target, const char *name, const char *value);

#define ISCSIT_ATTR(_name, _mode, _show, _store, _arg) (&(const struct skua_attr) {	\
	.attr = { .name = _name, .mode = _mode },					\
	.show = _show, .store = _store, .arg = _arg })

/* users.c */
extern const char iscsit_drv_help[];
int iscsit_drv_cmd(const char *cmd, char *words);
void iscsit_users_init(struct iscsit_users *users);
void iscsit_users_free(struct iscsit_users *users);
bool iscsit_user_find(struct iscsit_users *users, const char *group, bool outgoing,
		      struct iscsi_user *user);
bool iscsit_users_any(struct iscsit_users *users, const char *group);
bool iscsit_portal_allowed(struct iscsit_users *users, const char *local);
void iscsit_group_gone(struct skua_tgt *tgt, const char *group);

/* hash.c */
u32 iscsit_hash_init(void);
void iscsit_hash_exit(void);
int iscsit_hash(u8 alg, const void *data, u32 len, u8 *digest);

/* ---- connections ------------------------------------------------------ */

/**
 * struct iscsit_ctl - a PDU to send that belongs to no SCSI command
 * @link, @kind: the mover's while it has the PDU
 * @bhs: header; the mover fills in StatSN and the window by iscsit_stamp(), unless
 *	@login
 * @data: kvmalloc'ed data segment, or NULL
 * @len: bytes of it
 * @no_sn: takes no StatSN: a NOP-In that asks
 * @close: the connection ends behind it, and nothing is read any more
 * @login: a login response: its numbers are in place, there are no digests
 * @full: the last login response: what follows is the full feature phase
 */
struct iscsit_ctl {
	struct list_head link;
	u8 kind;
	struct iscsit_conn *conn;
	struct iscsi_bhs bhs;
	void *data;
	u32 len;
	bool no_sn, close, login, full;
	bool is_tmf;
	struct skua_tmf tmf;
};

/*
 * What conn->q points to: the beginning of one kvmalloc'ed block that has the mover's
 * slots behind it. Freed by the mover's free(), or left to the core: see
 * skua_queue_orphan().
 */
struct iscsit_queue {
	struct skua_queue queue;
	const struct iscsit_mover *mover;
	struct iscsit_conn *conn;
};

/**
 * struct iscsit_conn - a connection, embedded in the mover's
 * @all: list of all connections, until the last reference goes
 * @refs: one until iscsit_conn_end(), one while the core has the queue
 * @mover: whose it is
 * @peer: address and port of the initiator, for the log; the mover fills in these
 *	before iscsit_conn_init()
 * @local: address and port here, IPv6 in brackets, for SendTargets
 * @peer_ip: address of the initiator, the name of the connection's directory
 * @cpu: where the connection's work is done
 * @half_open: counted as a login in progress
 * @timer: login, then NOP
 * @ended: iscsit_conn_end() was called, the timer does not start again
 * @left: unload has tried to leave the queue to the core
 * @sn_lock: @stat_sn, @exp_cmd_sn, @max_cmd_sn
 * @login: NULL: full feature phase
 * @nego: values agreed on
 * @text: text exchange, made by the first text request
 * @target: NULL in a discovery session
 * @q: queue and slots, NULL in a discovery session
 * @attached: the core has the queue
 * @counted: in target->nr_sessions
 * @discovery: counted as a discovery session
 * @full: the last login response is queued: the target may say something by itself
 * @depth: commands that the initiator may have in progress
 * @max_recv: longest data segment that it may send
 * @logout: nothing is read any more behind this PDU
 * @group: initiator group of the login, whose secrets count
 * @initiator: as the tree and patterns see it
 * @dying: jiffies | 1 when the target asked for a logout: only that is answered
 * @nr_tmf, @late: a logout is answered after the task management functions before it;
 *	under @sn_lock
 * @last_rx: jiffies when the last PDU came: the mover sets it by iscsit_saw_pdu()
 * @nop_sent: jiffies; 0: no NOP-In is open
 */
struct iscsit_conn {
	struct list_head all;
	struct kref refs;
	const struct iscsit_mover *mover;
	char peer[ISCSIT_ADDR_LEN];
	char local[ISCSIT_ADDR_LEN];
	char peer_ip[ISCSIT_ADDR_LEN];
	int cpu;
	atomic_t half_open;
	bool ended, left;
	struct work_struct free_work;
	struct delayed_work timer;

	struct iscsi_login *login;
	struct iscsi_nego nego;
	struct iscsi_exchange *text;
	struct iscsit_target *target;
	struct iscsit_queue *q;
	bool attached;
	atomic_t counted;
	bool discovery;
	bool full;
	u32 depth;
	u16 cid, tsih;
	u8 isid[6];
	u32 max_recv;
	u32 nop_interval, nop_timeout, rsp_timeout;
	bool header_digest, data_digest;
	bool logout;
	unsigned long dying;
	char group[SKUA_MAX_NAME];
	char initiator[SKUA_MAX_NAME];

	spinlock_t sn_lock;
	u32 nr_tmf;
	struct iscsit_ctl *late;
	u32 stat_sn, exp_cmd_sn, max_cmd_sn;
	unsigned long last_rx;
	unsigned long nop_sent;
	u32 nop_ttt;
};

/* conn.c */
void iscsit_conn_names(struct iscsit_conn *conn, const struct sockaddr_storage *peer,
		       const struct sockaddr_storage *local);
int iscsit_conn_init(struct iscsit_conn *conn, const struct iscsit_mover *mover);
void iscsit_conn_close(struct iscsit_conn *conn);
void iscsit_conn_end(struct iscsit_conn *conn);
void iscsit_conn_get(struct iscsit_conn *conn);
void iscsit_conn_put(struct iscsit_conn *conn);
void iscsit_queue_init(struct iscsit_conn *conn, struct iscsit_queue *q, void *slots,
		       size_t stride);
void iscsit_half_open_end(struct iscsit_conn *conn);
void iscsit_conn_full(struct iscsit_conn *conn);
bool iscsit_discovery_begin(struct iscsit_conn *conn);
bool iscsit_conn_dying(struct iscsit_conn *conn);
void iscsit_conns_reinstate(const struct iscsit_conn *by);
void iscsit_conns_close(const struct iscsit_mover *mover);
void iscsit_conns_wait(const struct iscsit_mover *mover);
unsigned int iscsit_half_open_now(void);
unsigned int iscsit_half_open_limit(void);

static inline u32 iscsit_nr_slots(const struct iscsit_conn *conn)
{
	return conn->depth + ISCSIT_SPARE_SLOTS;
}

/* A PDU has come. */
static inline void iscsit_saw_pdu(struct iscsit_conn *conn)
{
	WRITE_ONCE(conn->last_rx, jiffies);
}

/* session.c */
void iscsit_login_init(u32 chap_algs);
int iscsit_login_begin(struct iscsit_conn *conn);
int iscsit_login_pdu(struct iscsit_conn *conn, const struct iscsi_bhs *bhs, const void *data,
		     u32 len);
extern const struct iscsi_exchange_env iscsit_exchange_env;

/* ctl.c */
int iscsit_ctl_pdu(struct iscsit_conn *conn, const struct iscsi_bhs *bhs, const void *data,
		   u32 len);
int iscsit_cmd_sn(struct iscsit_conn *conn, const struct iscsi_bhs *bhs);
void iscsit_window_open(struct iscsit_conn *conn);
struct iscsit_ctl *iscsit_reject_pdu(struct iscsit_conn *conn, const struct iscsi_bhs *bhs,
				     u8 reason);
int iscsit_reject(struct iscsit_conn *conn, const struct iscsi_bhs *bhs, u8 reason);
struct iscsit_ctl *iscsit_ctl_new(struct iscsit_conn *conn, u8 opcode);
void iscsit_ctl_free(struct iscsit_ctl *ctl);
void iscsit_respond_tmf(struct skua_tmf *tmf);
int iscsit_ask_nop(struct iscsit_conn *conn);
void iscsit_ask_logout(struct iscsit_conn *conn);
void iscsit_luns_changed(struct skua_session *sess);

static inline void iscsit_ctl_send(struct iscsit_ctl *ctl)
{
	ctl->conn->mover->send(ctl->conn, ctl);
}

/**
 * enum iscsit_stamp - what a PDU does to the numbers
 * @ISCSIT_STAMP_PEEK: shows StatSN without taking it: R2T, a NOP-In that asks
 * @ISCSIT_STAMP_NONE: has none: a Data-In without status
 * @ISCSIT_STAMP_TAKE: takes one: responses
 * @ISCSIT_STAMP_CREDIT: takes one, and ends a command that had a place in the window
 */
enum iscsit_stamp {
	ISCSIT_STAMP_PEEK,
	ISCSIT_STAMP_NONE,
	ISCSIT_STAMP_TAKE,
	ISCSIT_STAMP_CREDIT,
};

/**
 * iscsit_stamp() - fill in StatSN, ExpCmdSN and MaxCmdSN of a PDU to be sent
 * @conn: the connection
 * @bhs: header
 * @how: enum iscsit_stamp
 *
 * Context: any, with conn->sn_lock held until the PDU has its place in the stream, or
 * else by one context at a time that also sends.
 */
static inline void iscsit_stamp(struct iscsit_conn *conn, struct iscsi_bhs *bhs,
				enum iscsit_stamp how)
{
	if (how == ISCSIT_STAMP_CREDIT)
		conn->max_cmd_sn++;
	if (how == ISCSIT_STAMP_PEEK)
		bhs->stat_sn = cpu_to_be32(conn->stat_sn);
	else if (how != ISCSIT_STAMP_NONE)
		bhs->stat_sn = cpu_to_be32(conn->stat_sn++);
	bhs->exp_cmd_sn = cpu_to_be32(conn->exp_cmd_sn);
	bhs->max_cmd_sn = cpu_to_be32(conn->max_cmd_sn);
}

#endif
