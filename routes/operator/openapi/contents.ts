import { exampleOf } from "../../../model/declare.ts";
import { ENTRY } from "../../../model/entries/entry.ts";
import {
  DRY_RUN_SUM,
  ENTRY_IMPORT_SUM,
  ENTRY_REMARK,
  IMPORT_SUM,
  POST_IMPORT_SUM,
  POST_PREVIEW_SUM,
  REFUSED_ROW,
} from "../../../model/imports/reports.ts";
import { POST } from "../../../model/posts/post.ts";
import { formatPostRow, POSTS_CSV_HEADER } from "../../../model/posts/post_rows.ts";
import { VOTE } from "../../../model/posts/vote.ts";
import { formatVoteRow, VOTES_CSV_HEADER } from "../../../model/posts/vote_rows.ts";
import type { Described } from "../../../model/resource.ts";
import { CSV_HEADER, formatCsvRow } from "../../../model/subscriptions/rows.ts";
import { HISTORY, SUBSCRIPTION } from "../../../model/subscriptions/subscription.ts";
import type { Schema } from "../../../model/values/json_schema.ts";
import { formatNdjson } from "../../../model/values/text.ts";
import { type ContentName, NDJSON_TYPE } from "../../_http/reply.ts";
import { FEED_TYPES, XML_TYPE } from "../../public/_page/site.ts";
import { describe } from "./schema.ts";

const SUBSCRIBER = exampleOf({ ...SUBSCRIPTION.fields, history: HISTORY });

/** The schemas of content that is no record, by name. */
export const CONTENTS = {
  SubscriberLines: describe(
    "Subscribers as NDJSON: one object a line. An import reads `userEmail`, `userName`, " +
      "`subscribed` and, of an address that is new, `history`.",
    { contentMediaType: NDJSON_TYPE, examples: [`${JSON.stringify(SUBSCRIBER)}\n`] },
  ),
  SubscriberTable: describe(
    "Subscribers as CSV (RFC 4180) under a header. An import reads `userEmail`, `userName` and " +
      "`subscribed` alone, and the lists of other products as they export them. Text that a spreadsheet would run as a formula has an apostrophe in front.",
    { examples: [CSV_HEADER + formatCsvRow(SUBSCRIBER)] },
  ),
  VoteLines: describe("Votes as NDJSON: one object a line.", {
    contentMediaType: NDJSON_TYPE,
    examples: [`${JSON.stringify(exampleOf(VOTE.fields))}\n`],
  }),
  VoteTable: describe(
    "Votes as CSV (RFC 4180) under a header. Text that a spreadsheet would run as a formula has an " +
      "apostrophe in front.",
    { examples: [VOTES_CSV_HEADER + formatVoteRow(exampleOf(VOTE.fields))] },
  ),
  PostLines: describe(
    "Posts as NDJSON: a line for each post, with `authorEmail`, and a line for each vote after it.",
    {
      contentMediaType: NDJSON_TYPE,
      examples: [
        formatNdjson([
          { ...exampleOf(POST.fields), authorEmail: "ann@example.com" },
          exampleOf(VOTE.fields),
        ]),
      ],
    },
  ),
  PostTable: describe(
    "Posts as CSV (RFC 4180) under a header: an export of Fider, Quackback or UserVoice, or any sheet.",
    { examples: ["title,body,status,votes\nDark mode,At night the white hurts.,open,12\n"] },
  ),
  PostExportTable: describe(
    "Posts as CSV (RFC 4180) under a header, without their votes, `history` as JSON. Text that a " +
      "spreadsheet would run as a formula has an apostrophe in front.",
    {
      examples: [
        POSTS_CSV_HEADER +
        formatPostRow({ ...exampleOf(POST.fields), authorEmail: "ann@example.com" }),
      ],
    },
  ),
  PostArchive: describe("Fider's backup: a ZIP archive of tables as JSON."),
  PostImportReport: describe(
    "NDJSON: a `RefusedRow` for each refused row, then a `PostImportSum` or a `PostPreviewSum`.",
    {
      contentMediaType: NDJSON_TYPE,
      examples: [
        formatNdjson([REFUSED_ROW, POST_IMPORT_SUM].map(({ fields }) => exampleOf(fields))),
      ],
    },
  ),
  ImportReport: describe(
    "NDJSON: a `RefusedRow` for each refused row, then an `ImportSum` or a `DryRunSum`.",
    {
      contentMediaType: NDJSON_TYPE,
      examples: [formatNdjson([REFUSED_ROW, IMPORT_SUM].map(({ fields }) => exampleOf(fields)))],
    },
  ),
  EntryLines: describe("Entries as NDJSON: one object a line.", {
    contentMediaType: NDJSON_TYPE,
    examples: [`${JSON.stringify(exampleOf(ENTRY.fields))}\n`],
  }),
  ChangelogFile: describe("A changelog in Markdown with a heading for each version.", {
    examples: ["## [1.4.0] - 2026-11-21\n\n### Added\n\n- Dark mode\n"],
  }),
  EntriesInJson: describe(
    "Releases as the APIs of GitHub and GitLab have them, a JSON Feed, or entries.",
    { examples: ['[{"tag_name":"v1.3.0","body":"Fixes","published_at":"2026-11-20T10:00:00Z"}]'] },
  ),
  AtomFeed: describe("An Atom feed (RFC 4287).", {
    examples: ['<feed xmlns="http://www.w3.org/2005/Atom"></feed>'],
  }),
  EntryImportReport: describe(
    "NDJSON: an `EntryRemark` for each entry that was not imported as it is, then an " +
      "`EntryImportSum`.",
    {
      contentMediaType: NDJSON_TYPE,
      examples: [
        formatNdjson([ENTRY_REMARK, ENTRY_IMPORT_SUM].map(({ fields }) => exampleOf(fields))),
      ],
    },
  ),
  BounceEvents: describe("Events as a provider posts them, one or several in an array.", {
    type: ["object", "array", "string"],
    items: { type: "object" },
    examples: [{
      RecordType: "Bounce",
      Type: "HardBounce",
      Email: "nobody@example.com",
      BouncedAt: "2026-11-21T10:00:00Z",
    }],
  }),
  BounceForm: describe("An event as Mailgun posted it before 2018.", {
    type: "object",
    examples: [{
      event: "bounced",
      recipient: "nobody@example.com",
      code: "550",
      timestamp: "1795255200",
      signature: "0000",
    }],
  }),
  BounceMail: describe("A delivery report (RFC 3464) or a complaint (RFC 5965), as a mail."),
  Metrics: describe("The text format of Prometheus, version 0.0.4.", {
    contentMediaType: "text/plain",
    examples: [
      "# HELP boardcast_subscribers People on record.\n# TYPE boardcast_subscribers gauge\n" +
      'boardcast_subscribers{state="subscribed"} 1250\n',
    ],
  }),
  Feed: describe("An Atom feed (RFC 4287).", { contentMediaType: FEED_TYPES.atom }),
  JsonFeed: describe("A JSON Feed 1.1.", { type: "object", contentMediaType: FEED_TYPES.json }),
  Page: describe("An HTML page.", { contentMediaType: "text/html" }),
  ImageFile: describe("The bytes of an image."),
  Sitemap: describe("A sitemap (sitemaps.org).", { contentMediaType: XML_TYPE }),
  RobotsFile: describe("Rules for crawlers (RFC 9309).", { contentMediaType: "text/plain" }),
  Script: describe("A script.", { contentMediaType: "text/javascript" }),
  OpenApi: describe("An OpenAPI 3.1 description.", { type: "object" }),
} as const satisfies Record<ContentName, Schema>;

/** The records in the lines of NDJSON, by the name of its schema. */
export const RECORDS_WITHIN: Partial<Record<ContentName, readonly Described[]>> = {
  ImportReport: [REFUSED_ROW, IMPORT_SUM, DRY_RUN_SUM],
  PostImportReport: [REFUSED_ROW, POST_IMPORT_SUM, POST_PREVIEW_SUM],
  EntryImportReport: [ENTRY_REMARK, ENTRY_IMPORT_SUM],
};
