/**
 * The migrations of the database, in order. The first creates version 1 in an empty database; each
 * other one creates the next version. A released migration is never edited: after the first
 * release, every change is a new migration at the end. `$schema` stands for the quoted name of the
 * schema.
 *
 * The table of a kind has the kind's name and a column for each field, in snake_case. Keys, and
 * texts in the order of an index, are compared by bytes.
 */
export const MIGRATIONS: readonly string[] = Object.freeze([
  `
  create table $schema.settings (
    setting_id text collate "C" primary key,
    value text not null
  );

  create table $schema.boards (
    board_id text collate "C" primary key
      check (board_id ~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$'),
    name text not null check (char_length(name) between 1 and 200),
    description text check (char_length(description) between 1 and 4000),
    url text check (char_length(url) between 1 and 2000),
    visibility text not null,
    moderation text not null,
    instance_id text collate "C" not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );

  create table $schema.posts (
    post_id text collate "C" primary key
      check (post_id ~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$'),
    board_id text collate "C" not null,
    title text not null check (char_length(title) between 3 and 120),
    body text check (octet_length(body) <= 8192),
    status text not null,
    answer text check (octet_length(answer) <= 8192),
    answered_at timestamptz(3),
    votes bigint not null check (votes >= 0),
    state text not null,
    source text not null,
    imported_votes bigint not null check (imported_votes >= 0),
    history json not null,
    merged_into text collate "C",
    entry_id text collate "C",
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    instance_id text collate "C" not null,
    board_instance_id text collate "C" not null,
    author_email text collate "C",
    author_mailbox text collate "C",
    names_erased boolean not null,
    key_id text collate "C",
    aside_domains text[] not null,
    former_votes bigint not null,
    lacks_former_votes boolean not null,
    unmerged_from text collate "C",
    vote_cursor text collate "C",
    delivery_key text collate "C",
    hot_score bigint not null,
    votes_place text collate "C",
    hot_place text collate "C",
    new_place text collate "C",
    closed_place text collate "C"
  ) with (fillfactor = 80);
  create index posts_by_votes on $schema.posts (votes_place, post_id)
    where votes_place is not null;
  create index posts_naming_erased on $schema.posts (post_id) where names_erased;
  create index posts_by_hot on $schema.posts (hot_place, post_id) where hot_place is not null;
  create index posts_by_new on $schema.posts (new_place, post_id) where new_place is not null;
  create index posts_by_closing on $schema.posts (closed_place, post_id)
    where closed_place is not null;
  create index posts_by_board on $schema.posts (board_instance_id, post_id);
  create index posts_by_author on $schema.posts (author_mailbox, post_id)
    where author_mailbox is not null;
  create index posts_by_merge on $schema.posts (merged_into, post_id)
    where merged_into is not null;
  create index posts_by_vote_cursor on $schema.posts (vote_cursor, post_id)
    where vote_cursor is not null;

  create table $schema.votes (
    vote_id text collate "C" primary key,
    post_id text collate "C" not null,
    post_instance_id text collate "C" not null,
    user_email text collate "C" not null
      check (octet_length(user_email) between 3 and 254 and user_email like '%_@_%'),
    user_name text check (char_length(user_name) between 1 and 200),
    notify boolean not null,
    notify_at timestamptz(3),
    notify_source text,
    why text check (char_length(why) between 1 and 500),
    source text not null,
    key_id text collate "C",
    at timestamptz(3) not null,
    via text collate "C",
    notify_via text collate "C",
    counts boolean not null,
    opt_outs bigint not null,
    told text[] not null,
    place text collate "C" not null
  );
  create index votes_by_post on $schema.votes (place, vote_id);
  create index votes_asked on $schema.votes (place, vote_id) where notify;

  create table $schema.board_tallies (
    instance_id text collate "C" primary key,
    open bigint not null,
    public_open bigint not null,
    held bigint not null,
    version bigint not null,
    updated_at timestamptz(3) not null
  );

  create table $schema.people (
    mailbox text collate "C" primary key,
    opt_outs bigint not null,
    is_approved boolean not null,
    held_ideas bigint not null,
    told text[] not null
  );

  create table $schema.former_votes (
    former_vote_id text collate "C" primary key,
    post_instance_id text collate "C" not null,
    stands boolean not null,
    source text not null,
    at timestamptz(3) not null
  );
  create index former_votes_by_post on $schema.former_votes (post_instance_id, former_vote_id);

  create table $schema.reports (
    report_id text collate "C" primary key,
    place text collate "C" not null,
    reason text not null,
    at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index reports_by_post on $schema.reports (place, report_id);
  create index reports_by_expiry on $schema.reports (expires_at, report_id);

  create table $schema.post_removals (
    instance_id text collate "C" primary key,
    what text not null
  );

  create table $schema.subscriptions (
    user_email text collate "C" primary key
      check (octet_length(user_email) between 3 and 254 and user_email like '%_@_%'),
    user_name text check (char_length(user_name) between 1 and 200),
    subscriber_id text collate "C" not null,
    subscribed boolean not null,
    source text not null,
    labels text[] check (cardinality(labels) between 1 and 20),
    pace text not null,
    pace_changes json not null,
    history text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index subscribed_in_order on $schema.subscriptions (subscriber_id, user_email)
    where subscribed;
  create index unsubscribed_in_order on $schema.subscriptions (user_email) where not subscribed;
  create index weekly_in_order on $schema.subscriptions (subscriber_id, user_email)
    where subscribed and pace = 'weekly';

  create table $schema.entries (
    entry_id text collate "C" primary key
      check (entry_id ~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$'),
    title text not null check (char_length(title) between 1 and 200),
    body text not null check (octet_length(body) <= 32768),
    labels text[] not null check (cardinality(labels) <= 5),
    posts text[] not null check (cardinality(posts) <= 20),
    url text check (char_length(url) between 1 and 2000),
    published_at timestamptz(3),
    first_published_at timestamptz(3),
    announce_at timestamptz(3),
    imported text,
    created_by text,
    updated_by text,
    published_by text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index entries_by_age on $schema.entries (created_at, entry_id);
  create index drafts_by_age on $schema.entries (created_at, entry_id) where published_at is null;
  create index entries_by_publication on $schema.entries (published_at, entry_id);
  create index entries_by_announcement on $schema.entries (announce_at, entry_id)
    where announce_at is not null;

  create table $schema.changelogs (
    changelog_id text collate "C" primary key,
    version bigint not null,
    updated_at timestamptz(3) not null
  );

  create table $schema.deliveries (
    entry_id text collate "C" primary key,
    week text,
    post_id text collate "C",
    state text not null,
    recipients bigint not null,
    sent bigint not null,
    failed bigint not null,
    deferred bigint not null,
    skipped bigint not null,
    asked bigint not null,
    told bigint not null,
    started_at timestamptz(3),
    finished_at timestamptz(3),
    problem text,
    due_at timestamptz(3) not null,
    next_at timestamptz(3),
    advanced_at timestamptz(3) not null,
    cursor text collate "C",
    retried_to text collate "C",
    round bigint not null,
    rounds bigint not null,
    posts json not null,
    number bigint not null,
    contents json not null,
    breaker json not null
  );
  create index deliveries_by_next on $schema.deliveries (next_at, entry_id)
    where next_at is not null;
  create index deliveries_by_due on $schema.deliveries (due_at, entry_id);

  create table $schema.deferrals (
    deferral_id text collate "C" primary key,
    entry_id text not null,
    user_email text collate "C" not null,
    attempts bigint not null,
    place text collate "C" not null
  );
  create index deferrals_by_place on $schema.deferrals (place, deferral_id);
  create index deferrals_by_person on $schema.deferrals (user_email, deferral_id);

  create table $schema.failures (
    user_email text collate "C" primary key,
    entry_id text not null,
    code text not null,
    text text not null,
    failed_at timestamptz(3) not null,
    bounces bigint not null
  );

  create table $schema.leases (
    lease_id text collate "C" primary key,
    owner text,
    token bigint not null,
    renewals bigint not null,
    duration_ms bigint not null
  );

  create table $schema.api_keys (
    key_id text collate "C" primary key check (char_length(key_id) between 1 and 128),
    hash text collate "C" not null check (hash ~ '^[0-9a-f]{64}$'),
    name text not null check (char_length(name) between 1 and 200),
    hint text not null check (char_length(hint) <= 16),
    scopes text[] not null check (cardinality(scopes) > 0),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    successor_id text collate "C",
    expired_before timestamptz(3)
  );
  create index api_keys_by_age on $schema.api_keys (created_at, key_id);

  create table $schema.webhooks (
    webhook_id text collate "C" primary key,
    url text not null check (char_length(url) between 1 and 2000),
    types text[] not null check (cardinality(types) > 0),
    format text not null,
    enabled boolean not null,
    secret text not null,
    replaced_secrets json not null,
    failing_since timestamptz(3),
    disabled_at timestamptz(3),
    problem text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );

  create table $schema.webhook_lists (
    list_id text collate "C" primary key,
    count bigint not null,
    enabled json not null
  );

  create table $schema.webhook_messages (
    message_id text collate "C" primary key,
    webhook_id text not null,
    type text not null,
    body text not null,
    state text not null,
    attempts bigint not null,
    last_attempts json not null,
    next_attempt_at timestamptz(3),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    user_email text collate "C",
    queue_place text collate "C",
    list_place text collate "C" not null
  );
  create index webhook_messages_by_queue on $schema.webhook_messages (queue_place, message_id)
    where queue_place is not null;
  create index webhook_messages_by_webhook on $schema.webhook_messages (list_place, message_id);
  create index webhook_messages_by_expiry on $schema.webhook_messages (expires_at, message_id);
  create index webhook_messages_delivered on $schema.webhook_messages (expires_at, message_id)
    where state = 'delivered';
  create index webhook_messages_by_person on $schema.webhook_messages (user_email, message_id)
    where user_email is not null;

  create table $schema.bounce_counts (
    user_email text collate "C" primary key,
    failures json not null,
    delivered_at timestamptz(3),
    expires_at timestamptz(3) not null
  );
  create index bounce_counts_by_expiry on $schema.bounce_counts (expires_at, user_email);

  create table $schema.delivery_failures (
    failure_id text collate "C" primary key,
    entry_id text not null,
    user_email text collate "C" not null,
    code text not null,
    text text not null,
    failed_at timestamptz(3) not null,
    is_reported boolean not null
  );
  create index delivery_failures_by_person on $schema.delivery_failures (user_email, failure_id);

  create table $schema.erasures (
    erasure_id text collate "C" primary key,
    erased_at timestamptz(3) not null
  );

  create table $schema.pending (
    pending_id text collate "C" primary key,
    content text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index pending_by_expiry on $schema.pending (expires_at, pending_id);

  create table $schema.proof_mails (
    mailbox_id text collate "C" primary key,
    state text not null,
    mailed_at timestamptz(3) not null,
    due_at timestamptz(3),
    attempts bigint not null,
    recipient text,
    board_id text,
    waiting json not null,
    expires_at timestamptz(3) not null
  );
  create index proof_mails_by_due on $schema.proof_mails (due_at, mailbox_id)
    where due_at is not null;
  create index proof_mails_by_expiry on $schema.proof_mails (expires_at, mailbox_id);

  create table $schema.app_links (
    link_id text collate "C" primary key,
    expires_at timestamptz(3) not null
  );
  create index app_links_by_expiry on $schema.app_links (expires_at, link_id);

  create table $schema.closed_mailboxes (
    mailbox_id text collate "C" primary key,
    at timestamptz(3) not null
  );

  create table $schema.image_parts (
    part_id text collate "C" primary key,
    data text not null
  );
  -- Images are compressed already.
  alter table $schema.image_parts alter column data set storage external;

  create table $schema.image_uploads (
    upload_id text collate "C" primary key,
    parts bigint not null,
    expires_at timestamptz(3) not null
  );
  create index image_uploads_by_expiry on $schema.image_uploads (expires_at, upload_id);

  create table $schema.images (
    image_id text collate "C" primary key,
    type text not null,
    width bigint not null,
    height bigint not null,
    bytes bigint not null,
    created_at timestamptz(3) not null,
    upload_id text not null,
    parts bigint not null
  );
  create index images_by_age on $schema.images (created_at, image_id);

  -- How many records are in an index is the sum of its shards, so that two processes seldom wait for
  -- each other. A trigger keeps it, whoever changes the table.
  create table $schema.counts (
    name text collate "C",
    shard integer,
    value bigint not null,
    primary key (name, shard)
  ) with (fillfactor = 20);

  create function $schema.count_subscriptions() returns trigger language plpgsql as $do$
    declare
      added bigint[] := '{0, 0, 0}';
      removed bigint[] := '{0, 0, 0}';
    begin
      if tg_op = 'TRUNCATE' then
        delete from $schema.counts where name like 'subscriptions.%';
        return null;
      end if;
      if tg_op <> 'DELETE' then
        select array[
            count(*) filter (where subscribed), count(*) filter (where not subscribed),
            count(*) filter (where subscribed and pace = 'weekly')
          ] into added from new_rows;
      end if;
      if tg_op <> 'INSERT' then
        select array[
            count(*) filter (where subscribed), count(*) filter (where not subscribed),
            count(*) filter (where subscribed and pace = 'weekly')
          ] into removed from old_rows;
      end if;
      insert into $schema.counts as c (name, shard, value)
        select name, pg_backend_pid() % 64, value
          from (values
            ('subscriptions.subscribed', added[1] - removed[1]),
            ('subscriptions.unsubscribed', added[2] - removed[2]),
            ('subscriptions.weekly', added[3] - removed[3])
          ) as changes (name, value)
          where value <> 0
        on conflict (name, shard) do update set value = c.value + excluded.value;
      return null;
    end
  $do$;
  create trigger count_inserted after insert on $schema.subscriptions
    referencing new table as new_rows
    for each statement execute function $schema.count_subscriptions();
  create trigger count_updated after update on $schema.subscriptions
    referencing old table as old_rows new table as new_rows
    for each statement execute function $schema.count_subscriptions();
  create trigger count_deleted after delete on $schema.subscriptions
    referencing old table as old_rows
    for each statement execute function $schema.count_subscriptions();
  create trigger count_truncated after truncate on $schema.subscriptions
    for each statement execute function $schema.count_subscriptions();
  `,
]);
