/**
 * The migrations of the database, in order: the first makes version 1 of an empty database,
 * each other one makes the next version of the one before. What was released is never edited;
 * a change is a new migration at the end. `$schema` stands for the quoted name of the schema.
 */
export const MIGRATIONS: readonly string[] = Object.freeze([
  `
  create table $schema.boards (
    board_id text collate "C" primary key
      check (board_id ~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$'),
    name text not null check (char_length(name) between 1 and 200),
    description text check (char_length(description) between 1 and 4000),
    url text check (char_length(url) between 1 and 2000),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );

  create table $schema.subscriptions (
    user_email text collate "C" primary key
      check (octet_length(user_email) between 3 and 254 and user_email like '%_@_%'),
    user_name text check (char_length(user_name) between 1 and 200),
    subscribed boolean not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index subscribed_in_order on $schema.subscriptions (user_email) where subscribed;
  create index unsubscribed_in_order on $schema.subscriptions (user_email) where not subscribed;

  create table $schema.api_keys (
    key_id text collate "C" primary key check (char_length(key_id) between 1 and 128),
    hash text collate "C" not null unique check (hash ~ '^[A-Za-z0-9_-]{43}$'),
    name text not null check (char_length(name) between 1 and 200),
    hint text not null check (char_length(hint) <= 16),
    scopes text[] not null check (cardinality(scopes) > 0),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3)
  );
  `,
]);
