/// The first schema.
///
/// Times are milliseconds since 1970; brands, consumers, conversations and registrations have integer keys, so that
/// keys are short.
enum M0001CreateTables {
    static let migration = Migration("0001-create-tables", isAdditive: false, sql: sql)

    private static let sql = """
        CREATE TABLE incarnations (id INTEGER PRIMARY KEY AUTOINCREMENT, started_at INTEGER NOT NULL);

        -- One row: numbers that are never given again, though the rows that had them are gone.
        CREATE TABLE high_marks (
            id INTEGER PRIMARY KEY, last_delivery INTEGER NOT NULL, last_message INTEGER NOT NULL);

        CREATE TABLE brands (
            key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
            settings TEXT NOT NULL, created_at INTEGER NOT NULL, webhook TEXT);

        -- Brands that are gone, whose rows are still to be removed.
        CREATE TABLE deleted_brands (key INTEGER PRIMARY KEY);

        -- No message of the brand with a key up to this one is left: housekeeping begins here and not at the oldest
        -- message of all brands.
        CREATE TABLE message_marks (brand INTEGER PRIMARY KEY, message INTEGER NOT NULL);

        CREATE TABLE apps (
            brand INTEGER NOT NULL, id TEXT NOT NULL, settings BLOB NOT NULL, updated_at INTEGER NOT NULL,
            PRIMARY KEY (brand, id)) WITHOUT ROWID;

        CREATE TABLE lanes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, brand INTEGER NOT NULL, app TEXT NOT NULL,
            push_type TEXT NOT NULL, environment TEXT NOT NULL, UNIQUE (brand, app, push_type, environment));

        CREATE TABLE credentials (
            id TEXT NOT NULL PRIMARY KEY, brand INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
            details TEXT NOT NULL, secret_hash BLOB, sealed_secret BLOB,
            expires_at INTEGER, created_at INTEGER NOT NULL, revoked_at INTEGER);
        CREATE UNIQUE INDEX credentials_sdk_key ON credentials (name) WHERE kind = 'sdkKey';

        -- Requests with an idempotency key; the columns of the answer are null as long as the request runs.
        CREATE TABLE idempotency (
            key BLOB NOT NULL PRIMARY KEY, body_hash BLOB NOT NULL, status INTEGER, location TEXT, body BLOB,
            created_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX idempotency_age ON idempotency (created_at);
        -- Authorization codes that were presented: a hash that names brand, credential and code.
        CREATE TABLE redeemed_codes (hash BLOB NOT NULL PRIMARY KEY, burnt_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX redeemed_codes_age ON redeemed_codes (burnt_at);
        -- Stays when its brand goes: then only the brand's name is left of it.
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT, brand INTEGER NOT NULL, brand_id TEXT NOT NULL,
            at INTEGER NOT NULL, actor_kind TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
            target TEXT NOT NULL, changes TEXT NOT NULL, request TEXT);
        CREATE INDEX audit_brand ON audit (brand, id);

        -- A consumer that was merged into another leaves its row, which leads there, and its key in the delivery log;
        -- nothing else names it. When the other is merged itself, both lead to the third.
        CREATE TABLE consumers (
            key INTEGER PRIMARY KEY AUTOINCREMENT, brand INTEGER NOT NULL, id TEXT NOT NULL,
            anonymous INTEGER NOT NULL, name TEXT, email TEXT, phone TEXT, created_at INTEGER NOT NULL,
            merged_into INTEGER, quiet_hours TEXT, UNIQUE (brand, id));
        CREATE INDEX consumers_merged ON consumers (merged_into) WHERE merged_into IS NOT NULL;

        -- Consumers that are being erased, whose own rows are gone: what hung on their keys is still to be removed. Items of
        -- the outbound feed were looked through up to `outbound_next`; those behind `outbound_through` are of another, who
        -- has the id since. One of which nothing is left in the tables has no id any more and is `removed`: until the log has
        -- been cut off, which still holds pages of before.
        CREATE TABLE erasures (
            consumer INTEGER PRIMARY KEY, brand INTEGER NOT NULL, id TEXT NOT NULL,
            outbound_next INTEGER NOT NULL, outbound_through INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0);

        -- A session whose credential is revoked has ended, though its row is here until housekeeping removes it: to delete
        -- them all at once could hold the writer for a second.
        CREATE TABLE sessions (
            token_hash BLOB NOT NULL PRIMARY KEY, brand INTEGER NOT NULL, consumer INTEGER NOT NULL, device TEXT,
            credential TEXT, expires_at INTEGER NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX sessions_consumer ON sessions (consumer, created_at);
        CREATE INDEX sessions_expiry ON sessions (expires_at);
        CREATE INDEX sessions_device ON sessions (brand, device, created_at, consumer) WHERE device IS NOT NULL;
        CREATE INDEX sessions_credential ON sessions (credential, expires_at) WHERE credential IS NOT NULL;

        -- A consumer's unread count is the sum over its conversations: no second page is written for each event. One that
        -- the gateway named is its `own`; `last_message` is then the id's first half until there is a message.
        CREATE TABLE conversations (
            key INTEGER PRIMARY KEY AUTOINCREMENT, brand INTEGER NOT NULL, id TEXT NOT NULL,
            consumer INTEGER NOT NULL, last_sequence INTEGER NOT NULL DEFAULT 0,
            read_sequence INTEGER NOT NULL DEFAULT 0, unread INTEGER NOT NULL DEFAULT 0,
            last_message INTEGER NOT NULL DEFAULT 0, resolved INTEGER NOT NULL DEFAULT 0,
            -- When other devices were last to be told how far it was read.
            told_at INTEGER, own INTEGER NOT NULL DEFAULT 0, UNIQUE (brand, id));
        CREATE INDEX conversations_consumer ON conversations (consumer);
        -- Those that may be forgotten, the ones that rested longest first.
        CREATE INDEX conversations_resting ON conversations (brand, last_message) WHERE resolved = 1 AND own = 1;

        -- The key is the first eight bytes of the message id, which rise within one node; `low` are the other eight.
        CREATE TABLE messages (
            key INTEGER PRIMARY KEY, low INTEGER NOT NULL, conversation INTEGER NOT NULL, sequence INTEGER NOT NULL,
            counts INTEGER NOT NULL, kind TEXT NOT NULL, source_sequence INTEGER, dialog TEXT, agent_id TEXT,
            agent_nickname TEXT, text TEXT NOT NULL, title TEXT, data TEXT, link_ios TEXT, link_android TEXT,
            link_web TEXT, priority TEXT NOT NULL, collapse_key TEXT, category TEXT, sound TEXT,
            silent INTEGER NOT NULL, accepted_at INTEGER NOT NULL, sent_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL, look_back_until INTEGER, campaign TEXT);
        CREATE UNIQUE INDEX messages_conversation ON messages (conversation, sequence, counts);

        CREATE TABLE taps (
            message INTEGER PRIMARY KEY, device TEXT NOT NULL, tapped_at INTEGER NOT NULL, action TEXT);
        -- Proactive messages that were neither tapped nor cleared; one that is past its look-back stays until it is removed.
        CREATE TABLE pending_proactive (
            conversation INTEGER NOT NULL, message INTEGER NOT NULL, PRIMARY KEY (conversation, message)) WITHOUT ROWID;

        CREATE TABLE registrations (
            id INTEGER PRIMARY KEY AUTOINCREMENT, brand INTEGER NOT NULL, app TEXT NOT NULL, device TEXT NOT NULL,
            consumer INTEGER NOT NULL, lane INTEGER NOT NULL, token TEXT NOT NULL, push_type TEXT NOT NULL,
            environment TEXT NOT NULL, platform TEXT NOT NULL, locale TEXT, time_zone TEXT, os_version TEXT,
            app_version TEXT, receives INTEGER NOT NULL, state TEXT NOT NULL, registered_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL, extra_tokens TEXT, last_seen_at INTEGER NOT NULL,
            UNIQUE (brand, app, device));
        CREATE INDEX registrations_seen ON registrations (brand, last_seen_at);
        CREATE INDEX registrations_consumer ON registrations (consumer);
        CREATE INDEX registrations_token ON registrations (brand, token);
        -- When a brand's registrations were last looked at for those that were not heard of for long, and the moment before
        -- which none counts as last heard of.
        CREATE TABLE stale_looks (brand INTEGER PRIMARY KEY, looked_at INTEGER NOT NULL, heard_from INTEGER NOT NULL);

        -- Only what is not finished. Whose it is says its registration. `owner` is an incarnation or nobody. A row that is
        -- `held` waits for an open window of its owner's to acknowledge it: it is in no lane. `due` lies behind `not_before`
        -- only because of quiet hours: until then a provider wants none. The indexes of collapse keys and
        -- held rows are partial, so that rows without one and others pay nothing for them.
        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY, lane INTEGER NOT NULL, registration INTEGER NOT NULL,
            conversation INTEGER, sequence INTEGER, message INTEGER, kind INTEGER NOT NULL, owner INTEGER,
            due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, expires_at INTEGER NOT NULL,
            queued_at INTEGER NOT NULL, delivered_at INTEGER, tapped_at INTEGER, collapse TEXT,
            held INTEGER NOT NULL DEFAULT 0, campaign INTEGER, displayed_at INTEGER, dismissed_at INTEGER,
            not_before INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX outbox_registration ON outbox (registration, id);
        CREATE INDEX outbox_collapse ON outbox (registration, collapse) WHERE collapse IS NOT NULL;
        CREATE INDEX outbox_held ON outbox (registration, id) WHERE held = 1;
        CREATE INDEX outbox_waiting ON outbox (lane, due, id) WHERE owner IS NULL;

        -- What is finished. Its indexes are never paid for on the accept path, and those of filters not with outcomes
        -- either: a row enters them when a later batch sets `indexed` (see LogIndexing). `change` numbers the rows in
        -- the order in which they got where they stand, across all brands. `message_low` is set when the message is
        -- removed before its delivery, `finished_at` when no answer says when it ended.
        CREATE TABLE delivery_log (
            id INTEGER PRIMARY KEY, brand INTEGER NOT NULL, app TEXT NOT NULL, device TEXT NOT NULL,
            consumer INTEGER NOT NULL, push_type TEXT NOT NULL, message INTEGER, state TEXT NOT NULL,
            suppressed_by TEXT, attempts INTEGER NOT NULL, provider_id TEXT, status INTEGER, reason TEXT,
            queued_at INTEGER NOT NULL, sent_at INTEGER, latency INTEGER, delivered_at INTEGER, tapped_at INTEGER,
            badge INTEGER, message_low INTEGER, finished_at INTEGER, change INTEGER NOT NULL,
            indexed INTEGER NOT NULL DEFAULT 0, campaign INTEGER, displayed_at INTEGER, dismissed_at INTEGER);
        CREATE INDEX delivery_log_change ON delivery_log (brand, change);
        CREATE INDEX delivery_log_message ON delivery_log (message) WHERE message IS NOT NULL;
        CREATE INDEX delivery_log_brand ON delivery_log (brand) WHERE indexed = 1;
        CREATE INDEX delivery_log_state ON delivery_log (brand, state) WHERE indexed = 1;
        CREATE INDEX delivery_log_provider ON delivery_log (brand, push_type) WHERE indexed = 1;
        CREATE INDEX delivery_log_reason ON delivery_log (brand, reason) WHERE indexed = 1 AND reason IS NOT NULL;
        CREATE INDEX delivery_log_consumer ON delivery_log (consumer) WHERE indexed = 1;
        CREATE INDEX delivery_log_device ON delivery_log (brand, device) WHERE indexed = 1;

        -- One row: up to which change the log is indexed, and the last change when rows were removed.
        CREATE TABLE log_marks (id INTEGER PRIMARY KEY, indexed INTEGER NOT NULL, last_change INTEGER NOT NULL);

        -- Deliveries that were queued at an earlier time than the one before them: between two of these, times rise
        -- with numbers, so that a time leads to a number without an index.
        CREATE TABLE clock_steps (delivery INTEGER PRIMARY KEY);

        -- Counts of the log's indexed rows by the minute, hour and day (`unit` in seconds) in which they were queued;
        -- see LogCounts for the form of `counts`, and `log_words` for the numbers in it.
        CREATE TABLE log_counts (
            brand INTEGER NOT NULL, unit INTEGER NOT NULL, start INTEGER NOT NULL, counts BLOB NOT NULL,
            PRIMARY KEY (brand, unit, start)) WITHOUT ROWID;
        CREATE TABLE log_words (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);

        -- What became of campaigns: how many messages and deliveries were made, and `counts` of the deliveries in the log, in
        -- the form of `log_counts` but without latencies. They go on counting what housekeeping removes from the log.
        CREATE TABLE campaigns (
            id INTEGER PRIMARY KEY AUTOINCREMENT, brand INTEGER NOT NULL, name TEXT NOT NULL,
            messages INTEGER NOT NULL DEFAULT 0, tapped INTEGER NOT NULL DEFAULT 0, deliveries INTEGER NOT NULL DEFAULT 0,
            first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, counts BLOB, UNIQUE (brand, name));
        CREATE INDEX campaigns_brand ON campaigns (brand);

        -- Every try of deliveries that needed more than one.
        CREATE TABLE attempts (
            delivery INTEGER NOT NULL, number INTEGER NOT NULL, sent_at INTEGER NOT NULL, status INTEGER NOT NULL,
            reason TEXT, latency INTEGER NOT NULL, PRIMARY KEY (delivery, number)) WITHOUT ROWID;

        -- Event ids by day, so that new ones go to pages that are in the cache and old days go in one piece.
        CREATE TABLE dedupe (
            day INTEGER NOT NULL, brand INTEGER NOT NULL, event TEXT NOT NULL, body_hash INTEGER NOT NULL,
            message INTEGER, PRIMARY KEY (day, brand, event)) WITHOUT ROWID;

        -- What back-ends are told, only while somebody reads. Positions are dense within a brand.
        CREATE TABLE outbound (
            brand INTEGER NOT NULL, position INTEGER NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL,
            data TEXT NOT NULL, PRIMARY KEY (brand, position)) WITHOUT ROWID;
        -- Nothing up to this position is left: the number of an item that is gone is not given again.
        CREATE TABLE outbound_marks (brand INTEGER PRIMARY KEY, removed INTEGER NOT NULL);
        CREATE TABLE subscriptions (
            brand INTEGER NOT NULL, name TEXT NOT NULL, mark INTEGER NOT NULL, created_at INTEGER NOT NULL,
            acknowledged_at INTEGER, PRIMARY KEY (brand, name)) WITHOUT ROWID;
        CREATE TABLE webhook_states (
            brand INTEGER PRIMARY KEY, revision INTEGER NOT NULL, mark INTEGER NOT NULL, batch_through INTEGER,
            attempts INTEGER NOT NULL DEFAULT 0, next_try INTEGER, last_tried_at INTEGER, last_status INTEGER,
            last_error TEXT, switched_off INTEGER NOT NULL DEFAULT 0);
        """
}
