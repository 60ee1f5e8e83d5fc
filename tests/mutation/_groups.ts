/** Sources, and the tests that are to notice when one of them is broken. */
export interface Group {
  readonly name: string;
  /** Files, or folders, which end with a slash and stand for the files right in them. */
  readonly sources: readonly string[];
  /** The tests, in steps: the next step is run only for what the one before has let through. */
  readonly tests: readonly (readonly string[])[];
  /** Whether the tests need a server of PostgreSQL. */
  readonly needsPostgres?: boolean;
}

const tests = (...names: readonly string[]) => names.map((name) => `tests/${name}_test.ts`);

/** All groups. */
export const GROUPS: readonly Group[] = [
  {
    name: "model",
    sources: ["model/", "model/_markdown/"],
    tests: [
      tests(
        "model_api_key",
        "model_board",
        "model_digests",
        "model_email_address",
        "model_markdown",
        "model_markdown_reference",
        "model_markdown_xss",
        "model_random",
        "model_subscription",
        "model_text",
        "model_time",
        "model_webhook_retry",
        "model_webhook_signature",
        "model_webhook_url",
      ),
      tests("http_boards", "http_board_changes", "http_keys", "http_subscriptions"),
    ],
  },
  {
    name: "delivery",
    sources: ["delivery/post_webhook.ts"],
    tests: [tests("post_webhook")],
  },
  {
    name: "routes",
    sources: ["routes/"],
    tests: [
      tests(
        "http_board_changes",
        "http_boards",
        "http_bodies",
        "http_media_types",
        "http_body_syntax",
        "http_cors",
        "http_credentials",
        "http_headers",
        "http_key_rotation",
        "http_key_use",
        "http_keys",
        "http_methods",
        "http_options",
        "http_pages",
        "http_problems",
        "http_rate_limit",
        "http_routing",
        "http_scopes",
        "http_subscriptions",
        "kept_text",
        "recent_map",
      ),
      tests(
        "embed",
        "openapi",
        "openapi_fields",
        "openapi_examples",
        "docs_page",
        "raw_socket",
        "raw_socket_size",
        "leaks",
      ),
    ],
  },
  {
    name: "commands",
    sources: ["commands/", "commands/_transfer/"],
    tests: [
      tests(
        "cli_boards",
        "cli_copy",
        "cli_csv",
        "cli_help",
        "cli_http_call",
        "cli_import",
        "cli_keys",
        "cli_progress",
        "cli_subscribers",
        "cli_table",
        "first_key",
        "import_rows",
        "io",
        "log",
        "options",
        "serve_settings",
        "signals",
        "standstill",
        "telemetry",
        "terminal",
      ),
      tests("cli_migrate", "cli_storages", "usage"),
      tests(
        "node_listener",
        "node_listener_limits",
        "leaks",
        "process",
        "listener",
        "raw_socket",
        "raw_socket_size",
      ),
      tests("cli_process", "cli_transfer"),
    ],
  },
  {
    name: "memory",
    sources: ["adapters/memory.ts", "adapters/_tables.ts", "adapters/_sorted_keys.ts"],
    tests: [tests("memory", "sorted_keys"), tests("file_reads", "file")],
  },
  {
    name: "file",
    sources: ["adapters/file.ts", "adapters/_file/"],
    tests: [
      tests(
        "file_io",
        "file_snapshot",
        "file_versions",
        "file_disk",
        "file_format",
        "file_options",
        "file_lock",
        "file_takeover",
        "file_loss",
        "file_reads",
        "file_refusal",
        "file_read_only",
        "file_erasure",
        "file_compaction",
        "file_compaction_changes",
        "file_compaction_retry",
      ),
      tests("file", "file_owner", "file_damage"),
      tests("file_power_cut", "file_compaction_faults", "file_process"),
    ],
  },
  {
    name: "postgres",
    sources: ["adapters/postgres.ts", "adapters/_postgres/"],
    tests: [
      tests(
        "postgres_target",
        "postgres_order",
        "postgres_calls",
        "postgres_memory",
        "postgres_errors",
        "postgres_database",
        "postgres",
      ),
      tests(
        "postgres_open",
        "postgres_pool",
        "postgres_migrations",
        "postgres_tls",
        "postgres_processes",
      ),
      tests("postgres_hosts", "postgres_given_up", "postgres_faults"),
    ],
    needsPostgres: true,
  },
  {
    name: "delivery",
    sources: ["delivery/", "delivery/_smtp/"],
    tests: [
      tests(
        "mail_mailbox",
        "mail_message",
        "smtp_options",
        "smtp_connections",
        "smtp_faults",
        "smtp",
      ),
    ],
  },
];
