/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The iSCSI target over TCP: what its files share. nego.h and pdu.h are the pure part.
 *
 *	main.c		module, parameters, the transport's table
 *	target.c	targets: configuration and lookup
 *	attrs.c		files of the tree
 *	listen.c	portals: sockets that listen
 *	conn.c		a connection's life
 *	session.c	what a login asks of the outside: targets, sessions
 *	rx.c		from the socket to whole PDUs
 *	tx.c		from queued responses to the socket
 *	cmd.c		SCSI commands
 *	ctl.c		all other PDUs
 *	hash.c		digests of CHAP
 *
 * A connection's PDUs are read, dispatched and written by one work item, io_work; what
 * only it uses needs no lock. Responses come from any context: they are put on conn->tx.
 *
 * Locks, outer to inner: iscsit_mutex (list of targets); target->login (one login at a
 * time; the target's end); target->lock (configuration); conn->lock (leaf).
 */
#ifndef SKUA_ISCSIT_H
#define SKUA_ISCSIT_H

#include <linux/in6.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/net.h>
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

struct iscsit_conn;

/* ---- targets ---------------------------------------------------------- */

struct iscsit_attr_values {
	u32 ours[ISCSI_NR_VALUES];
	u32 max_xmit;
	u32 depth;			/* QueuedCommands */
	u32 nop_interval, nop_timeout, rsp_timeout;	/* seconds */
	u32 max_sessions;
};

/**
 * struct iscsit_user_entry - a CHAP user of a target or of discovery
 */
struct iscsit_user_entry {
	struct list_head link;
	bool outgoing;
	struct iscsi_user user;
};

/* Users of a target, or of discovery sessions */
struct iscsit_users {
	spinlock_t lock;
	struct list_head list;
};

/**
 * struct iscsit_target - a target as configured
 * @link: iscsit_targets, under iscsit_mutex
 * @tgt: the core's; valid until @dead
 * @tid: number of the target
 * @login: serializes logins; @dead, @nr_sessions
 * @lock: @conf, @alias
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

/* attrs.c */
extern const struct skua_attr *const iscsit_drv_attrs[];
extern const struct skua_attr *const iscsit_tgt_attrs[];
extern const struct skua_attr *const iscsit_sess_attrs[];
void iscsit_conf_defaults(struct iscsit_attr_values *conf);
int iscsit_set_param(struct iscsit_target *target, const char *name, const char *value);

/* users.c */
int iscsit_drv_cmd(const char *cmd, char *words);
void iscsit_users_init(struct iscsit_users *users);
void iscsit_users_free(struct iscsit_users *users);
bool iscsit_user_find(struct iscsit_users *users, bool outgoing, struct iscsi_user *user);
char *iscsit_next_word(char **text);
bool iscsit_users_any(struct iscsit_users *users, bool outgoing);

/* hash.c */
u32 iscsit_hash_init(void);
void iscsit_hash_exit(void);
int iscsit_hash(u8 alg, const void *data, u32 len, u8 *digest);

/* ---- connections ------------------------------------------------------ */

enum iscsit_tx_kind {
	ISCSIT_TX_CTL,
	ISCSIT_TX_RSP,			/* of a slot: data and status */
	ISCSIT_TX_R2T,			/* of a slot */
};

/* Something to send, on conn->tx. */
struct iscsit_tx {
	struct list_head link;
	u8 kind;
};

/**
 * struct iscsit_ctl - a response that belongs to no SCSI command
 * @bhs: StatSN and the window are filled in when it is sent
 * @data: kvmalloc'ed data segment, or NULL
 * @no_sn: takes no StatSN (a NOP-In that asks)
 * @close: the connection ends behind it
 * @login: a login response: its numbers are in place
 */
struct iscsit_ctl {
	struct iscsit_tx tx;
	struct iscsit_conn *conn;
	struct iscsi_bhs bhs;
	void *data;
	u32 len;
	bool no_sn, close, login;
	bool is_tmf;
	struct skua_tmf tmf;
};

/**
 * struct iscsit_slot - a SCSI command
 * @cmd: the core's
 * @free: conn->free while unused; under conn->lock
 * @rsp: response on the way
 * @r2t: R2T on the way
 * @itt: in wire order
 * @bounce: immediate and unsolicited data
 * @unsol_want: bytes of it that come
 * @unsol_got: bytes of it that are there
 * @waiting: start() was called and data has not all come: whoever clears it, under
 *	conn->lock, ends the wait
 * @failed: its data came out of sequence
 * @immediate: the command takes no place in the window
 * @got: bytes of write data that are in io.sg
 * @burst_start: offset of the data that the last R2T asked for
 * @burst_len: how much it asked for
 * @burst_got: how much of it came
 * @burst_sn, @unsol_sn: DataSN that is due
 * @r2t_sn: R2TSN of the next R2T
 */
struct iscsit_slot {
	struct skua_cmd cmd;
	struct iscsit_conn *conn;
	struct list_head free;
	struct iscsit_tx rsp, r2t;
	__be32 itt;
	u8 *bounce;
	u32 unsol_want, unsol_got, unsol_sn;
	bool used, waiting, failed, immediate;
	u32 got;
	u32 burst_start, burst_len, burst_got, burst_sn;
	u32 r2t_sn;
};

/* Freed by drained(), or left to the core: see skua_queue_orphan() */
struct iscsit_queue {
	struct skua_queue queue;
	struct iscsit_conn *conn;
	struct iscsit_slot slots[];
};

/* A place in a scatter list */
struct iscsit_cursor {
	struct scatterlist *sg;
	u32 off;
};

enum iscsit_rx_stage {
	ISCSIT_RX_BHS,
	ISCSIT_RX_REST,			/* additional header segments and header digest */
	ISCSIT_RX_DATA,
	ISCSIT_RX_TAIL,			/* padding and data digest */
};

/**
 * struct iscsit_rx - the PDU that is being read
 * @done: bytes of the stage that are there
 * @len: data segment
 * @buf: where the data goes; NULL: @to, or nowhere if that is empty
 * @own: @buf is freed with the PDU
 * @slot: SCSI Command, Data-Out: whose data it is
 */
struct iscsit_rx {
	u8 stage;
	u32 done;
	struct iscsi_bhs bhs;
	u8 rest[ISCSI_MAX_AHS + ISCSI_DIGEST_LEN];
	u8 tail[3 + ISCSI_DIGEST_LEN];
	u32 len;
	u8 *buf;
	bool own;
	bool drop;
	struct iscsit_cursor to, from;
	struct iscsit_slot *slot;
};

/**
 * struct iscsit_txs - the PDU that is being written
 * @cur: what it belongs to, or NULL
 * @hdr, @hdr_len: header and its digest
 * @buf: data segment, or NULL: at @from
 * @done: bytes of header, data and @tail that have gone
 */
struct iscsit_txs {
	struct iscsit_tx *cur;
	u8 hdr[ISCSI_BHS_LEN + ISCSI_DIGEST_LEN];
	u32 hdr_len;
	const u8 *buf;
	struct iscsit_cursor from;
	u32 len;
	u8 tail[3 + ISCSI_DIGEST_LEN];
	u32 tail_len;
	u32 done;
	u8 sense[2 + SKUA_SENSE_LEN];
	u32 data_sn;
	u32 sent;			/* bytes of the command's data */
	u32 burst;			/* of them in this sequence */
	bool own;			/* @buf is freed with the PDU */
	bool more;			/* further PDUs of the command follow */
};

/**
 * struct iscsit_conn - a connection
 * @all: iscsit_conns
 * @half_open: counted as a login in progress
 * @lock: @stopped, @free, @tx, slots' @waiting
 * @stopped: io_work is not queued any more; responses are dropped
 * @timer: login, then NOP
 */
struct iscsit_conn {
	struct list_head all;
	struct kref refs;
	struct socket *sock;
	void (*old_data_ready)(struct sock *sk);
	void (*old_write_space)(struct sock *sk);
	void (*old_state_change)(struct sock *sk);
	char peer[ISCSIT_ADDR_LEN];
	char local[ISCSIT_ADDR_LEN];
	char peer_ip[ISCSIT_ADDR_LEN];
	int cpu;
	atomic_t half_open;
	atomic_t closing;
	struct work_struct io_work, close_work, free_work;
	struct delayed_work timer;

	spinlock_t lock;
	bool stopped;
	struct list_head free;
	struct list_head tx;

	struct iscsi_login *login;	/* NULL: full feature phase */
	struct iscsi_nego nego;
	struct iscsi_exchange *text;
	struct iscsit_target *target;
	struct iscsit_queue *q;
	bool attached;
	bool counted;			/* in target->nr_sessions */
	u32 nr_slots;
	u32 depth;
	u16 cid, tsih;
	u8 isid[6];
	u32 max_recv;
	u32 nop_interval, nop_timeout;
	bool header_digest, data_digest;
	bool logout;			/* nothing is read behind a logout */

	u32 stat_sn, exp_cmd_sn, max_cmd_sn;
	struct iscsit_rx rx;
	struct iscsit_txs txs;
	unsigned long last_rx;
	unsigned long nop_sent;		/* 0: no NOP-In is open */
	u32 nop_ttt;
};

/* listen.c */
int iscsit_listen(const char *portals);
void iscsit_unlisten(void);

/* conn.c */
int iscsit_conn_accept(struct socket *sock, const struct socket *listener,
		       void (*data_ready)(struct sock *sk));
void iscsit_conn_close(struct iscsit_conn *conn);
void iscsit_kick(struct iscsit_conn *conn);
void iscsit_queue_tx(struct iscsit_conn *conn, struct iscsit_tx *tx);
void iscsit_half_open_end(struct iscsit_conn *conn);
void iscsit_conns_close_all(void);
void iscsit_conns_wait(void);
unsigned int iscsit_half_open_now(void);
unsigned int iscsit_half_open_limit(void);
struct iscsit_slot *iscsit_slot_get(struct iscsit_conn *conn);
void iscsit_slot_put(struct iscsit_slot *slot);
int iscsit_conn_alloc_queue(struct iscsit_conn *conn);

/* session.c */
void iscsit_login_init(u32 chap_algs);
int iscsit_login_begin(struct iscsit_conn *conn);
int iscsit_rx_login(struct iscsit_conn *conn);
extern const struct iscsi_exchange_env iscsit_exchange_env;

/* rx.c */
int iscsit_rx(struct iscsit_conn *conn);
void iscsit_rx_reset(struct iscsit_conn *conn);
u32 iscsit_crc_sg(struct iscsit_cursor at, u32 len);
int iscsit_sg_bvec(const struct iscsit_cursor *at, u32 len, struct bio_vec *bvec, int nr,
		   u32 *bytes);
void iscsit_sg_advance(struct iscsit_cursor *at, u32 len);

/* tx.c */
int iscsit_tx(struct iscsit_conn *conn);
void iscsit_tx_drop(struct iscsit_conn *conn);
struct iscsit_ctl *iscsit_ctl_new(struct iscsit_conn *conn, u8 opcode);
void iscsit_ctl_free(struct iscsit_ctl *ctl);
void iscsit_ctl_send(struct iscsit_ctl *ctl);

/* cmd.c */
int iscsit_cmd_header(struct iscsit_conn *conn);
int iscsit_cmd_pdu(struct iscsit_conn *conn);
int iscsit_data_out_header(struct iscsit_conn *conn);
int iscsit_data_out_pdu(struct iscsit_conn *conn);
void iscsit_start(struct skua_cmd *cmd, bool may_sleep);
void iscsit_respond(struct skua_cmd *cmd);
void iscsit_slots_fail(struct iscsit_conn *conn, const struct skua_tmf *tmf);
struct iscsit_slot *iscsit_slot_find(struct iscsit_conn *conn, __be32 itt);

/* ctl.c */
int iscsit_ctl_pdu(struct iscsit_conn *conn);
int iscsit_cmd_sn(struct iscsit_conn *conn, const struct iscsi_bhs *bhs);
int iscsit_reject(struct iscsit_conn *conn, u8 reason);
void iscsit_respond_tmf(struct skua_tmf *tmf);
int iscsit_ask_nop(struct iscsit_conn *conn);

#endif
