// SPDX-License-Identifier: GPL-2.0
/*
 * Unit attention conditions, one short queue per nexus (SAM-5 5.14). The I/O
 * path only reads nx->nr_ua.
 */
#include "priv.h"

/**
 * skua_ua_add() - establish a unit attention condition
 * @nx: for this initiator and LUN
 * @asc: additional sense code
 * @ascq: its qualifier
 *
 * A condition that is pending already is not queued twice; when the queue is full
 * the new one is lost, as the older ones already make the initiator look again.
 * Context: any.
 */
void skua_ua_add(struct skua_nexus *nx, u8 asc, u8 ascq)
{
	unsigned long flags;
	int i;

	spin_lock_irqsave(&nx->lock, flags);
	for (i = 0; i < nx->nr_ua; i++)
		if (nx->ua[i].asc == asc && nx->ua[i].ascq == ascq)
			goto out;
	if (nx->nr_ua < SKUA_NR_UA) {
		nx->ua[nx->nr_ua].asc = asc;
		nx->ua[nx->nr_ua].ascq = ascq;
		WRITE_ONCE(nx->nr_ua, nx->nr_ua + 1);
	}
out:
	spin_unlock_irqrestore(&nx->lock, flags);
}

/**
 * skua_ua_take() - clear and return the oldest condition
 * @nx: the nexus
 * @ua: where to
 *
 * Return: whether there was one.
 */
bool skua_ua_take(struct skua_nexus *nx, struct skua_ua *ua)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&nx->lock, flags);
	found = nx->nr_ua;
	if (found) {
		*ua = nx->ua[0];
		WRITE_ONCE(nx->nr_ua, nx->nr_ua - 1);
		memmove(nx->ua, nx->ua + 1, nx->nr_ua * sizeof(nx->ua[0]));
	}
	spin_unlock_irqrestore(&nx->lock, flags);
	return found;
}

/**
 * skua_ua_dev() - tell all initiators of a device
 * @dev: the device
 * @except: a nexus that knows already, or NULL
 * @asc: additional sense code
 * @ascq: its qualifier
 *
 * Context: process; takes skua_conf.
 */
void skua_ua_dev(struct skua_dev *dev, const struct skua_nexus *except, u8 asc, u8 ascq)
{
	struct skua_nexus *nx;

	mutex_lock(&skua_conf);
	list_for_each_entry(nx, &dev->nexuses, dev_link)
		if (nx != except)
			skua_ua_add(nx, asc, ascq);
	mutex_unlock(&skua_conf);
}

/**
 * skua_ua_session() - a condition on all LUNs of one session
 * @sess: the session
 * @asc: additional sense code
 * @ascq: its qualifier
 *
 * Context: any.
 */
void skua_ua_session(struct skua_session *sess, u8 asc, u8 ascq)
{
	const struct skua_lun_table *table;
	struct skua_nexus *nx;
	u32 i;

	rcu_read_lock();
	table = rcu_dereference(sess->luns);
	for (i = 0; table && i < table->nr; i++) {
		nx = READ_ONCE(table->nexus[i]);
		if (nx)
			skua_ua_add(nx, asc, ascq);
	}
	rcu_read_unlock();
}
