/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An SRP initiator in user space, made to misbehave:
 *
 *	conn.c		connections: RDMA/CM and verbs, step by step
 *	flow.c		IUs in flight: posting, matching and checking of responses
 *	good.c		a well-behaved initiator: login, I/O with every kind of buffer
 *	ius.c, cmds.c	attacks that are single IUs
 *	logins.c	attacks on the login
 *	wild.c		attacks that are more than an IU: credits, disconnects, verbs
 */
#ifndef SRP_CLIENT_H
#define SRP_CLIENT_H

#include <infiniband/verbs.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdnoreturn.h>

#include "wire.h"

#define NR_SLOTS	512
#define SLOT_IU		9216	/* bytes of IU in a slot; longer ones use the long buffer */
#define SLOT_DATA	8192	/* bytes of data buffer that belong to a slot: */
#define MAX_IO		4096	/* data, then what must not be touched, */
#define SLOT_TABLE	6144	/* then descriptors that are not in the IU */
#define NR_RECVS	544
#define RECV_SIZE	8448
#define LONG_SIZE	(128 << 10)
#define TRAP_SIZE	(64 << 10)
#define IMM_OFF		68	/* where we want immediate data: behind 16 bytes of long CDB */
#define GUARD		0x5a

/* What options say */
struct options {
	struct addrinfo *dst, *src;
	u8 tport[16];
	u8 iport[16];
	u8 lun[8];
	u64 seed;
	u64 count;
	u64 only;		/* with has_only: just this attack of the family */
	bool has_only;
	u32 wait_ms;		/* silence longer than this is a failure */
	u32 big;		/* MiB of single commands to try; 0: none */
	bool lenient;		/* ignoring what has no tag to answer to is fine */
	bool keep_going;
	bool verbose;
};

extern struct options opt;

/* Block size and capacity of the LUN */
extern u32 lun_bs;
extern u64 lun_blocks;

/* Memory for a connection's IUs and data; kept for the next connection. */
struct bufs {
	struct bufs *next;
	u8 *send, *recv, *data, *lng, *trap;
	struct ibv_mr *mr_send, *mr_recv, *mr_data, *mr_lng, *mr_trap;
};

enum conn_state {
	C_NEW,
	C_CONNECTING,		/* request sent */
	C_ANSWERED,		/* reply received; nothing confirmed */
	C_LIVE,
	C_REJECTED,
	C_CLOSED,
};

struct conn {
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct bufs *b;		/* NULL: for logins only */
	enum conn_state state;
	bool addr_ready, route_ready;
	const char *why;	/* of C_REJECTED and C_CLOSED */
	int reason;		/* CM's, of C_REJECTED */
	u8 reply[256];		/* private data of reply or reject */
	u32 reply_len;
	u8 resp_res, init_depth;

	/* from the login response */
	int credits;
	int limit;
	u32 max_it_iu;
	bool imm;
};

/* What a login attempt wants */
struct login {
	u8 data[REQ_LEN];
	u32 len;		/* of private data */
	bool io;		/* with buffers */
};

/* Flags of an IU in flight */
enum {
	X_NOCLOSE = 1 << 0,	/* well-formed: the channel must survive it */
	X_REFUSE  = 1 << 1,	/* must not succeed */
	X_SILENT  = 1 << 2,	/* may go unanswered */
	X_EXACT   = 1 << 3,	/* residual and flags are known: see dir, edtl, want */
	X_GUARD   = 1 << 4,	/* nothing but [0, edtl) of the data may change */
	X_GOOD    = 1 << 5,	/* must succeed */
	X_LONG    = 1 << 6,	/* is in the long buffer */
	X_ALONE   = 1 << 7,	/* nothing else is to be in flight */
	X_NOCREDIT = 1 << 8,	/* send even if that exceeds the limit */
	X_TRAP    = 1 << 9,	/* the trap must stay as it is */
};

enum { DIR_NONE, DIR_IN, DIR_OUT };

struct slot {
	u8 *iu;
	u8 *data;
	u32 nr;
	u32 len;		/* of the IU */
	u32 flags;
	u64 index;		/* of the attack */
	u64 tag;
	u64 posted;		/* ms */
	bool busy, sent, done;
	bool sync;
	u8 dir;
	u32 edtl, want;
	enum ibv_wr_opcode wr_op;	/* 0 is RDMA WRITE: see flow_send() */
	u64 wr_va;
	u32 wr_key;
};

struct rsp {
	u8 status, flags, code;
	u8 sense[64];
	u32 sense_len, in_res, out_res;
};

struct stats {
	u64 sent;		/* IUs posted */
	u64 hit;		/* of these the target has dealt with */
	u64 rsps, good, check, other, tmfs;
	u64 closes, silent, lost, late;
	u64 logins, rejects;
};

/* IUs in flight on one connection, which is made anew when it was closed */
struct flow {
	struct conn *c;
	struct slot slots[NR_SLOTS];
	u32 next_slot;
	u32 nr_out;
	u32 window;
	u32 suspects;		/* IUs since the last sync that may have broken the channel */
	u64 next_tag;
	u64 ghosts[256];	/* tags of IUs given up as unanswered */
	u32 next_ghost;
	u32 opened;
	u64 last_ms;
	const char *family;
	struct stats *st;
	struct slot *wait_for;	/* good.c: whose response goes to rsp */
	struct rsp rsp;
	bool no_imm;
	u32 imm_off;
	bool expect_close;	/* we do the closing */
	bool hold;		/* flow_send() only collects, for flow_release() */
	struct ibv_send_wr held[NR_SLOTS];
	struct ibv_sge held_sge[NR_SLOTS];
	u32 nr_held;
};

struct family {
	const char *name;
	const char *what;
	u32 weight;		/* share of IUs, in 1/1000 */
	u32 window;		/* IUs in flight */
	u32 runs;		/* instead of IUs: attacks for each 10,000 IUs of all */
	bool no_imm;		/* log in without asking for immediate data */
	/* an attack that is an IU: fill the slot */
	void (*make)(struct flow *f, struct slot *s, struct rng *r, u64 i);
	/* any other: do attack number i */
	void (*run)(struct flow *f, struct rng *r, u64 i);
};

extern const struct family iu_families[], cmd_families[], login_families[], wild_families[];

/* main: a failure. Ends the program unless --keep-going. */
void blame(struct flow *f, const struct slot *s, const char *fmt, ...);
noreturn void die(const char *fmt, ...);
u64 now_ms(void);

/* conn.c */
void conn_init(void);
u8 *map_mr(size_t size, struct ibv_mr **mr);
struct conn *conn_new(const struct login *l);
void conn_request(struct conn *c, const struct login *l);
bool conn_wait(struct conn *c, enum conn_state past, u32 ms);
int conn_ready(struct conn *c);
int conn_rts(struct conn *c);
int conn_confirm(struct conn *c);
void conn_break(struct conn *c);
void conn_lose_memory(struct conn *c);
void conn_free(struct conn *c);
void cm_pump(int timeout_ms);
int conn_poll(struct conn *c, struct ibv_wc *wc, int n, int timeout_ms);
int conn_post_recv(struct conn *c, u32 nr);
bool conn_gone(const struct conn *c);

/* logins.c */
void login_good(struct login *l, u32 imm_off);
struct conn *login_connect(const struct login *l, struct stats *st);

/* flow.c */
void flow_init(struct flow *f, const char *family, struct stats *st);
struct slot *flow_slot(struct flow *f, bool alone);
struct slot *flow_take(struct flow *f);
void flow_send(struct flow *f, struct slot *s);
void flow_release(struct flow *f);
void flow_pump(struct flow *f, int timeout_ms);
void flow_flush(struct flow *f);
void flow_open(struct flow *f);
void flow_drop(struct flow *f);
void flow_put(struct flow *f, struct slot *s);
u32 iu_expect(const u8 *iu, u32 len);

/* good.c: command building */
void cmd_init(struct flow *f, struct slot *s);
void cmd_lba10(struct flow *f, struct slot *s, bool write, u64 lba, u32 blocks);
void cmd_direct(struct flow *f, struct slot *s, u8 dir, u32 len);
void cmd_indirect(struct flow *f, struct slot *s, u8 dir, u32 len, u32 nr, u32 in_iu);
bool cmd_imm(struct flow *f, struct slot *s, u32 len);
void cmd_tmf(struct flow *f, struct slot *s, u8 func, u64 task);
u64 slot_va(const struct slot *s);
u32 data_key(const struct flow *f);
void good_io(void);
void good_big(u32 mib);
void good_check(const char *after);

#endif
