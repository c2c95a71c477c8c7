/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text negotiation, CHAP, login and SendTargets: RFC 7143 sections 6, 12.1 and 13,
 * RFC 7145 section 6. Pure: bytes in, bytes out, no kernel objects, no locks, no
 * allocation; also built for user space by tests/unit. What the outside knows
 * (targets, secrets, digests, random bytes) comes through struct iscsi_login_env.
 */
#ifndef SKUA_ISCSI_NEGO_H
#define SKUA_ISCSI_NEGO_H

#include "proto.h"

#define ISCSI_TEXT_MAX		16384	/* one text, over all PDUs that carry it */
#define ISCSI_KEY_MAX		63	/* 6.1 */
#define ISCSI_VALUE_MAX		255	/* unless the key says otherwise */
#define ISCSI_LOGIN_PDUS	64	/* requests in one login, at most */

/* ---- keys ------------------------------------------------------------- */

/*
 * All keys of both documents. A text is looked at in this order, whatever order it
 * came in: what a key depends on stands before it. Those before ISCSI_NR_VALUES have a
 * value in struct iscsi_nego.
 */
enum iscsi_key_id {
	ISCSI_HEADER_DIGEST,
	ISCSI_DATA_DIGEST,
	ISCSI_MAX_CONNECTIONS,
	ISCSI_INITIAL_R2T,
	ISCSI_IMMEDIATE_DATA,
	ISCSI_MAX_RECV_DSL,
	ISCSI_MAX_BURST,
	ISCSI_FIRST_BURST,
	ISCSI_TIME2WAIT,
	ISCSI_TIME2RETAIN,
	ISCSI_MAX_R2T,
	ISCSI_PDU_IN_ORDER,
	ISCSI_SEQ_IN_ORDER,
	ISCSI_ERL,
	ISCSI_TASK_REPORTING,
	ISCSI_PROTOCOL_LEVEL,
	ISCSI_RDMA_EXTENSIONS,
	ISCSI_TARGET_RECV_DSL,
	ISCSI_INITIATOR_RECV_DSL,
	ISCSI_MAX_UNEXPECTED,
	ISCSI_MAX_AHS_LEN,
	ISCSI_TAGGED_SOLICITED,
	ISCSI_HELLO_REQUIRED,
	ISCSI_NR_VALUES,

	ISCSI_SESSION_TYPE = ISCSI_NR_VALUES,
	ISCSI_INITIATOR_NAME,
	ISCSI_INITIATOR_ALIAS,
	ISCSI_TARGET_NAME,
	ISCSI_TARGET_ALIAS,
	ISCSI_TARGET_ADDRESS,
	ISCSI_PORTAL_GROUP,
	ISCSI_SEND_TARGETS,
	ISCSI_AUTH_METHOD,
	ISCSI_CHAP_A,
	ISCSI_CHAP_I,
	ISCSI_CHAP_C,
	ISCSI_CHAP_N,
	ISCSI_CHAP_R,
	ISCSI_IF_MARKER,
	ISCSI_OF_MARKER,
	ISCSI_IF_MARK_INT,
	ISCSI_OF_MARK_INT,
	ISCSI_NR_KEYS
};

enum iscsi_key_type {
	ISCSI_AND,			/* booleans that are negotiated */
	ISCSI_OR,
	ISCSI_MIN,			/* numbers that are negotiated */
	ISCSI_MAX,
	ISCSI_LIST,			/* the responder takes the first item it can */
	ISCSI_DECLARE,			/* a number that is declared, no answer */
	ISCSI_DECLARE_BOOL,
	ISCSI_TEXT,			/* the login looks at it */
	ISCSI_OBSOLETE,			/* 13.25 */
};

enum {
	ISCSI_K_SECURITY    = 1 << 0,	/* phases it may come in */
	ISCSI_K_OPERATIONAL = 1 << 1,
	ISCSI_K_FULL	    = 1 << 2,
	ISCSI_K_ANY	    = ISCSI_K_SECURITY | ISCSI_K_OPERATIONAL | ISCSI_K_FULL,
	ISCSI_K_NORMAL	    = 1 << 3,	/* irrelevant in discovery sessions */
	ISCSI_K_RDMA	    = 1 << 4,	/* irrelevant without RDMAExtensions=Yes */
	ISCSI_K_TARGET	    = 1 << 5,	/* only targets say it */
	ISCSI_K_LONG	    = 1 << 6,	/* a value may be longer than ISCSI_VALUE_MAX */
	ISCSI_K_NO_OFFER    = 1 << 7,	/* never ours to begin with */
};

/**
 * struct iscsi_key - a row of the key table
 * @name: case matters
 * @type: enum iscsi_key_type
 * @flags: ISCSI_K_*
 * @min, @max: range of numbers; @max is the number of items of a list
 * @dflt: value if nobody says anything; for a list its index
 * @items: of a list
 */
struct iscsi_key {
	const char *name;
	u8 type;
	u8 flags;
	u32 min, max, dflt;
	const char *const *items;
};

extern const struct iscsi_key iscsi_keys[ISCSI_NR_KEYS];

const struct iscsi_key *iscsi_key_find(const char *name, size_t len);

/**
 * struct iscsi_text - text that is being written
 * @buf: room for it
 * @len: bytes there
 * @size: bytes of @buf
 * @full: something did not fit; nothing more is added
 */
struct iscsi_text {
	char *buf;
	u32 len;
	u32 size;
	bool full;
};

void iscsi_text_add(struct iscsi_text *text, const char *key, const char *value);
void iscsi_text_add_u32(struct iscsi_text *text, const char *key, u32 value);
void iscsi_text_add_hex(struct iscsi_text *text, const char *key, const u8 *bytes, u32 len);

int iscsi_parse_number(const char *value, u32 *number);
int iscsi_parse_binary(const char *value, u8 *out, u32 size);

/**
 * struct iscsi_nego - negotiation of one connection's values
 * @ours: what this side is ready for: limits, booleans, bits of list items; for
 *	MaxRecvDataSegmentLength what it declares
 * @max_xmit: most that MaxRecvDataSegmentLength of the peer counts
 * @rdma: the connection is an RDMA one
 * @discovery: of a discovery session
 * @value: results; MaxRecvDataSegmentLength is the initiator's
 * @seen: bits of the keys that came since the login began
 * @offered: bits of the keys that this side began with
 * @open: those of them without an answer
 */
struct iscsi_nego {
	u32 ours[ISCSI_NR_VALUES];
	u32 max_xmit;
	bool rdma;
	bool discovery;
	u32 value[ISCSI_NR_VALUES];
	u64 seen;
	u64 offered;
	u64 open;
};

void iscsi_nego_defaults(u32 *ours);
void iscsi_nego_init(struct iscsi_nego *nego, bool rdma);

/* One text cut into keys. Values point into it. */
struct iscsi_parsed {
	char *value[ISCSI_NR_KEYS];
};

int iscsi_text_parse(char *text, u32 len, struct iscsi_parsed *parsed, struct iscsi_text *out);
int iscsi_nego_step(struct iscsi_nego *nego, u8 phase, struct iscsi_parsed *parsed,
		    struct iscsi_text *out);
void iscsi_nego_offer(struct iscsi_nego *nego, struct iscsi_text *out);
bool iscsi_nego_settled(const struct iscsi_nego *nego);

/* ---- CHAP ------------------------------------------------------------- */

#define ISCSI_SECRET_MAX	256	/* bytes with NUL */
#define ISCSI_USER_MAX		256
#define ISCSI_CHALLENGE_MAX	1024	/* 12.1.3 */
#define ISCSI_HASH_MAX		32

enum iscsi_chap_alg {
	ISCSI_CHAP_MD5		= 5,
	ISCSI_CHAP_SHA1		= 6,
	ISCSI_CHAP_SHA256	= 7,
	ISCSI_CHAP_SHA3_256	= 8,
};

/* A name and a secret, NUL terminated */
struct iscsi_user {
	char name[ISCSI_USER_MAX];
	char secret[ISCSI_SECRET_MAX];
};

struct iscsi_login_env;

/**
 * struct iscsi_chap - CHAP of one login, seen from the target
 * @state: enum iscsi_chap_state
 * @alg: chosen
 * @id: of our challenge
 * @challenge: ours, as long as the digest
 * @user: who authenticated
 * @msg: what is hashed: identifier, secret, challenge; wiped
 * @peer: the initiator's challenge
 */
struct iscsi_chap {
	u8 state;
	u8 alg;
	u8 id;
	u8 challenge[ISCSI_HASH_MAX];
	struct iscsi_user user;
	struct iscsi_user own;
	u8 msg[1 + ISCSI_SECRET_MAX + ISCSI_CHALLENGE_MAX];
	u8 peer[ISCSI_CHALLENGE_MAX];
};

enum iscsi_chap_state {
	ISCSI_CHAP_OFF,
	ISCSI_CHAP_WANT_A,		/* CHAP was agreed on */
	ISCSI_CHAP_WANT_R,		/* our challenge is out */
	ISCSI_CHAP_DONE,
};

u32 iscsi_chap_digest_len(u8 alg);
u16 iscsi_chap_step(struct iscsi_chap *chap, const struct iscsi_login_env *env, void *arg,
		    const struct iscsi_parsed *parsed, struct iscsi_text *out);
void iscsi_chap_wipe(struct iscsi_chap *chap);

/* ---- login ------------------------------------------------------------ */

enum iscsi_verdict {
	ISCSI_GO_ON,			/* send the response, another request follows */
	ISCSI_LOGGED_IN,		/* send it; full feature phase begins behind it */
	ISCSI_REFUSED,			/* send it, then close */
	ISCSI_DROP,			/* close without a word: this is no login */
};

struct iscsi_login;

/**
 * struct iscsi_login_env - what a login asks of the outside
 * @chap_algs: bits of the algorithms that @hash knows
 * @find: InitiatorName, TargetName and the session type are known: fill in
 *	login->auth, login->alias, login->portal_group, login->redirect, nego.ours. Return
 *	an enum iscsi_login_status.
 * @secret: the secret of the initiator user @user->name. False: unknown
 * @own: name and secret by which the target authenticates itself. False: it has none
 * @open: all is agreed on: make the session, set login->tsih and login->max_cmd_sn.
 *	Return an enum iscsi_login_status.
 * @hash: digest of @len bytes. Return 0 or -errno
 * @random: fill with random bytes
 *
 * @arg is login->arg.
 */
struct iscsi_login_env {
	u32 chap_algs;
	u16 (*find)(struct iscsi_login *login);
	bool (*secret)(void *arg, struct iscsi_user *user);
	bool (*own)(void *arg, struct iscsi_user *own);
	u16 (*open)(struct iscsi_login *login);
	int (*hash)(u8 alg, const void *data, u32 len, u8 *digest);
	void (*random)(void *buf, u32 len);
};

/**
 * struct iscsi_login - one login, from its first request to its end
 *
 * Begins as iscsi_login_init() leaves it. After ISCSI_LOGGED_IN the names, nego.value
 * and the numbers are valid.
 */
struct iscsi_login {
	const struct iscsi_login_env *env;
	void *arg;

	/* filled in by env->find() */
	bool auth;			/* the initiator has to authenticate itself */
	u16 portal_group;
	char alias[ISCSI_VALUE_MAX + 1];
	char redirect[ISCSI_VALUE_MAX + 1];	/* TargetAddress, for ISCSI_LOGIN_MOVED_* */

	struct iscsi_nego nego;
	struct iscsi_chap chap;
	char initiator[ISCSI_NAME_MAX + 1];
	char target[ISCSI_NAME_MAX + 1];

	u8 isid[6];
	u16 tsih;
	u16 cid;
	u32 itt;
	u32 cmd_sn;
	u32 max_cmd_sn;
	u32 stat_sn;			/* of the next response */

	u8 stage;
	u8 pdus;
	bool begun;			/* a request was taken */
	bool known;			/* env->find() was called */
	bool secure;			/* authenticated, or no need to */
	bool greeted;			/* TargetPortalGroupTag was sent */
	bool declared;			/* MaxRecvDataSegmentLength was sent */

	bool answering;			/* the last response had C set: out.len - sent is left */
	u32 sent;
	u32 in_len;
	struct iscsi_text out;
	char in[ISCSI_TEXT_MAX + 1];
	char out_buf[ISCSI_TEXT_MAX];
};

void iscsi_login_init(struct iscsi_login *login, const struct iscsi_login_env *env, void *arg,
		      bool rdma);
enum iscsi_verdict iscsi_login_step(struct iscsi_login *login, const struct iscsi_bhs *req,
				    const void *data, u32 len, struct iscsi_bhs *rsp,
				    const void **rsp_data, u32 *rsp_len);
void iscsi_login_wipe(struct iscsi_login *login);

/* ---- text requests ---------------------------------------------------- */

/**
 * struct iscsi_exchange_env - what a text request asks of the outside
 * @targets: append TargetName and TargetAddress keys: @which is a name, "" for the
 *	session's own target, NULL for all. Nonzero: no memory
 */
struct iscsi_exchange_env {
	int (*targets)(void *arg, const char *which, struct iscsi_text *out);
};

/**
 * struct iscsi_exchange - text exchange of a connection; one at a time
 * @ttt: names the open exchange; ISCSI_NO_TAG if there is none
 * @answering: a part of @out has not been sent
 */
struct iscsi_exchange {
	const struct iscsi_exchange_env *env;
	void *arg;
	struct iscsi_nego *nego;
	u32 itt;
	u32 ttt;
	u32 next_ttt;
	bool answering;
	u32 sent;
	u32 in_len;
	struct iscsi_text out;
	char in[ISCSI_TEXT_MAX + 1];
};

void iscsi_exchange_init(struct iscsi_exchange *x, struct iscsi_nego *nego,
			 const struct iscsi_exchange_env *env, void *arg, char *buf, u32 size);
u8 iscsi_exchange_step(struct iscsi_exchange *x, const struct iscsi_bhs *req, const void *data,
		       u32 len, u32 most, struct iscsi_bhs *rsp, const void **rsp_data);

#endif
