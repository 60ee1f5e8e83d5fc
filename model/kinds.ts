import { API_KEY, type ApiKey } from "./keys/api_key.ts";
import { BOARD, type Board } from "./board.ts";
import type { BounceCount } from "./bounces/bounce_count.ts";
import { DELIVERY, type Delivery, withIdentity } from "./deliveries/delivery.ts";
import { DELIVERY_FAILURE, type DeliveryFailure } from "./deliveries/delivery_failure.ts";
import { ENTRY, type Entry } from "./entries/entry.ts";
import type { Deferral, Failure } from "./deliveries/mail_outcome.ts";
import { IMAGE, type Image, type ImagePart, type ImageUpload } from "./images/image.ts";
import type { AnyKind, Kind } from "./kind.ts";
import { postOfVersion2 } from "./posts/place.ts";
import { POST, type Post } from "./posts/post.ts";
import { BOARD_TALLIES, FORMER_VOTES, PEOPLE, POST_REMOVALS } from "./posts/records.ts";
import { REPORT, type Report } from "./posts/report.ts";
import { VOTE, type Vote } from "./posts/vote.ts";
import { voteOfVersion2 } from "./posts/vote_origins.ts";
import { kindOf } from "./resource.ts";
import { APP_LINKS } from "./proof/app_link.ts";
import { CLOSED_MAILBOXES, PENDING, PROOF_MAILS } from "./proof/pending.ts";
import { MEMBER, type Member } from "./team/member.ts";
import {
  BINDINGS,
  FORMER_MEMBERS,
  MEMBER_ADDRESSES,
  SESSIONS,
  SIGN_IN_CODES,
  TEAM_MAILS,
} from "./team/records.ts";
import { SITE_SETTINGS, type SiteSettings, type StoredLogo } from "./settings/settings.ts";
import { SUBSCRIPTION, type Subscription } from "./subscriptions/subscription.ts";
import type { Layout, Step } from "./steps.ts";
import { FIRST } from "./version_1.ts";
import { WEBHOOK, type Webhook } from "./webhooks/webhook.ts";
import { WEBHOOK_MESSAGE, type WebhookMessage } from "./webhooks/webhook_message.ts";

// Types that derive from a declaration are internal, like the declaration: see `Resource`.

/** The feedback boards. */
export const BOARDS: Kind<Board> = kindOf(BOARD);

/** The changelog subscriptions. */
export const SUBSCRIPTIONS: Kind<Subscription> = kindOf(SUBSCRIPTION);

/** The keys with which programs call the API. */
export const API_KEYS: Kind<ApiKey> = kindOf(API_KEY);

/** A text shared by the processes on one storage; the first that needs it creates it. */
export interface Setting {
  /** The purpose of the setting. */
  readonly settingId: string;
  /** The text. */
  readonly value: string;
}

/** The settings shared by the processes on one storage. */
export const SETTINGS: Kind<Setting> = {
  name: "settings",
  key: "settingId",
  fields: { settingId: "text", value: "text" },
};

/** The entries of the changelog. */
export const ENTRIES: Kind<Entry> = kindOf(ENTRY);

/** The state of the changelog as a whole. */
export interface Changelog {
  /** Always `changelog`. */
  readonly changelogId: string;
  /**
   * Grows with each change of an entry that is no draft, and so invalidates cached public pages.
   */
  readonly version: number;
  /** The time of the last change of a public entry (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

/** The changelog, changed together with its entries. */
export const CHANGELOGS: Kind<Changelog> = {
  name: "changelogs",
  key: "changelogId",
  fields: { changelogId: "text", version: "integer", updatedAt: "time" },
  staleMs: 1_000,
};

/** @internal The deliveries of entries by mail. */
export const DELIVERIES: Kind<Delivery> = kindOf(DELIVERY);

/** @internal The webhooks. */
export const WEBHOOKS: Kind<Webhook> = kindOf(WEBHOOK);

/** @internal The enabled webhooks, in one record that every change reads. */
export interface WebhookList {
  /** Always `webhooks`. */
  readonly listId: string;
  /** Number of webhooks, including disabled ones. */
  readonly count: number;
  /** The enabled webhooks. */
  readonly enabled: readonly Pick<Webhook, "webhookId" | "types">[];
}

/** @internal The list of webhooks, changed together with them. */
export const WEBHOOK_LISTS: Kind<WebhookList> = {
  name: "webhookLists",
  key: "listId",
  fields: { listId: "text", count: "integer", enabled: "json" },
  staleMs: 1_000,
};

/** @internal The messages to webhooks. */
export const WEBHOOK_MESSAGES: Kind<WebhookMessage> = kindOf(WEBHOOK_MESSAGE);

/** The recipients whom a delivery retries later. */
export const DEFERRALS: Kind<Deferral> = {
  name: "deferrals",
  key: "deferralId",
  fields: {
    deferralId: "text",
    entryId: "text",
    userEmail: "text",
    attempts: "integer",
    place: "text",
  },
  indexes: { byPlace: { by: "place" }, byPerson: { by: "userEmail" } },
  personal: true,
};

/** @internal The recipients whom deliveries did not reach. */
export const DELIVERY_FAILURES: Kind<DeliveryFailure> = kindOf(DELIVERY_FAILURE);

/** The last refused mails, by person. */
export const FAILURES: Kind<Failure> = {
  name: "failures",
  key: "userEmail",
  fields: {
    userEmail: "text",
    entryId: "text",
    code: "text",
    text: "text",
    failedAt: "time",
    bounces: "integer",
  },
  personal: true,
};

/** The consecutive undelivered mails, by person. */
export const BOUNCE_COUNTS: Kind<BounceCount> = {
  name: "bounceCounts",
  key: "userEmail",
  fields: { userEmail: "text", failures: "json", deliveredAt: "time?", expiresAt: "time" },
  indexes: { byExpiry: { by: "expiresAt" } },
  personal: true,
};

/** The trace of an erased person, so that no list brings them back without asking. */
export interface ErasedPerson {
  /** The keyed hash of the address. */
  readonly erasureId: string;
  /**
   * The time of the last erasure (RFC 3339, UTC, milliseconds), always later than the one before.
   */
  readonly erasedAt: string;
}

/** The erased people. */
export const ERASURES: Kind<ErasedPerson> = {
  name: "erasures",
  key: "erasureId",
  fields: { erasureId: "text", erasedAt: "time" },
};

/** @internal The images of entries. */
export const IMAGES: Kind<Image> = kindOf(IMAGE);

/** @internal The bytes of images. */
export const IMAGE_PARTS: Kind<ImagePart> = {
  name: "imageParts",
  key: "partId",
  fields: { partId: "text", data: "text" },
  compressed: ["data"],
};

/** @internal Uploads, whose parts belong to no image. */
export const IMAGE_UPLOADS: Kind<ImageUpload> = {
  name: "imageUploads",
  key: "uploadId",
  fields: { uploadId: "text", parts: "integer", expiresAt: "time" },
  indexes: { byExpiry: { by: "expiresAt" } },
};

/** @internal The posts of boards. */
export const POSTS: Kind<Post> = kindOf(POST);

/** @internal The reports of posts. */
export const REPORTS: Kind<Report> = kindOf(REPORT);

/** @internal The votes for posts. */
export const VOTES: Kind<Vote> = kindOf(VOTE);

/** @internal The members of the team. */
export const MEMBERS: Kind<Member> = kindOf(MEMBER);

/** The exclusive right of one process on a storage to do a task. */
export interface Lease {
  /** The task. */
  readonly leaseId: string;
  /** The process that owns the lease; `null` once it is released. */
  readonly owner: string | null;
  /** The fencing token; grows with each acquisition. */
  readonly token: number;
  /** Grows with each renewal, which proves that the owner is alive. */
  readonly renewals: number;
  /** The time after which an unrenewed lease expires, in milliseconds. */
  readonly durationMs: number;
}

/** @internal The settings that readers see, in one record. */
export const SETTINGS_OF_SITE: Kind<SiteSettings> = kindOf(SITE_SETTINGS);

/** @internal The logos that the settings name. */
export const LOGOS: Kind<StoredLogo> = {
  name: "logos",
  key: "logoId",
  fields: { logoId: "text", data: "text" },
  compressed: ["data"],
};

export const LEASES: Kind<Lease> = {
  name: "leases",
  key: "leaseId",
  fields: {
    leaseId: "text",
    owner: "text?",
    token: "integer",
    renewals: "integer",
    durationMs: "integer",
  },
};

/**
 * The version of the kinds in storage. Every change of what is stored increases it, once for each
 * release: see docs/architecture.md.
 */
export const KINDS_VERSION = 3;

/** All kinds. Keys come last, so that a storage with an incomplete copy accepts no caller. */
export const KINDS: readonly AnyKind[] = [
  SETTINGS,
  BOARDS,
  SUBSCRIPTIONS,
  ENTRIES,
  CHANGELOGS,
  DELIVERIES,
  WEBHOOKS,
  WEBHOOK_LISTS,
  WEBHOOK_MESSAGES,
  DEFERRALS,
  DELIVERY_FAILURES,
  FAILURES,
  ERASURES,
  PENDING,
  PROOF_MAILS,
  CLOSED_MAILBOXES,
  APP_LINKS,
  BOUNCE_COUNTS,
  POSTS,
  VOTES,
  BOARD_TALLIES,
  PEOPLE,
  FORMER_VOTES,
  REPORTS,
  POST_REMOVALS,
  IMAGE_PARTS,
  IMAGE_UPLOADS,
  IMAGES,
  LOGOS,
  SETTINGS_OF_SITE,
  LEASES,
  MEMBER_ADDRESSES,
  BINDINGS,
  FORMER_MEMBERS,
  SIGN_IN_CODES,
  TEAM_MAILS,
  SESSIONS,
  MEMBERS,
  API_KEYS,
];

/** @internal The steps that move data, in order; a field that has a default needs none. */
export const STEPS: readonly Step[] = [
  {
    to: 2,
    kind: DELIVERIES,
    move: (record) => [{ kind: DELIVERIES, record: withIdentity(record) }],
  },
  { to: 2, kind: POSTS, move: (record) => [{ kind: POSTS, record: postOfVersion2(record) }] },
  { to: 2, kind: VOTES, move: (record) => [{ kind: VOTES, record: voteOfVersion2(record) }] },
];

/** @internal All that is stored, and how it came to be. */
export const LAYOUT: Layout = { version: KINDS_VERSION, kinds: KINDS, steps: STEPS, first: FIRST };
