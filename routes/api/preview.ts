import { type BrandContext, siteOf } from "../branded.ts";
import { ENTRIES } from "../../model/kinds.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { object, pick, text, texts, time, withSchema } from "../../model/declare.ts";
import { convertClipboard } from "../../model/entries/html/clipboard.ts";
import { inPieces } from "../../model/turns.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { addMs } from "../../model/values/time.ts";
import { findEntry } from "../../services/entries/entries.ts";
import { privateHeaders } from "../public/_page/layout.ts";
import { renderPreview } from "../public/changelog/entry_page.ts";
import { forPage, renderMarkdown } from "../public/_page/rendered.ts";
import { addressOf, HTML_TYPE, type PublicSite } from "../public/_page/site.ts";
import { ENTRIES_PATH, ENTRY_FIELDS, ENTRY_PATH } from "./_entries.ts";
import { FOUND_PAGE, type Operation, operation } from "../_http/operation.ts";
import { jsonReply, type Reply } from "../_http/reply.ts";
import { createCipherCache } from "../../services/privacy/sealed.ts";

/** The level of the largest headings in a text whose title is an `h2`. */
const PREVIEW_LEVEL = 3;
const LINK_VALID_MS = 7 * 86_400_000;

const PREVIEW = object("EntryPreview", "What a page would show.", {
  html: text(
    "The body as HTML of a fixed set of elements.",
    '<p dir="auto">Press <strong>D</strong>.</p>\n',
  ),
  excerpt: text("How it begins, as text.", "Press D."),
});
const CONVERTED = object("ConvertedHtml", "HTML as Markdown.", {
  body: text("The Markdown.", "Press **D**."),
  lost: texts("The parts that could not be kept, in words such as `picture` or `drawing`.", []),
});
const LINK = object("PreviewLink", "A secret link.", {
  url: text("Where the entry is shown.", "https://updates.example.com/preview/Zm9vYmFy", {
    rules: { format: "uri" },
  }),
  expiresAt: withSchema(time("Until when."), { examples: ["2026-11-28T10:00:00.000Z"] }),
});

/** Shows an entry as its public page would. */
const previewOperation = (site: PublicSite | undefined): Operation =>
  operation("POST", `${ENTRIES_PATH}/preview`, {
    operationId: "previewEntry",
    summary: "Preview an entry",
    description: "Returns what the page would show. Nothing is stored.",
    scope: "entries:read",
    body: pick(ENTRY_FIELDS, "title", "body"),
    required: ["title", "body"],
    successes: [{ status: 200, schema: PREVIEW }],
    run({ body, basePath }) {
      const imageBase = site === undefined ? `${basePath}/changelog/` : addressOf(site, "/");
      const rendered = renderMarkdown(body.body, imageBase);
      const { html } = forPage(rendered, PREVIEW_LEVEL);
      return jsonReply(200, { html, excerpt: rendered.excerpt });
    },
  });

const HTML_MAX_BYTES = 512 * 1_024;

/** Converts pasted HTML to Markdown. */
const convertOperation: Operation = operation("POST", `${ENTRIES_PATH}/markdown`, {
  operationId: "convertHtml",
  summary: "Convert HTML to Markdown",
  description: "Converts HTML, such as that of a clipboard, to Markdown. Nothing is stored.",
  scope: "entries:write",
  body: {
    html: {
      schema: {
        description: `Any HTML, a whole document or a part of one: up to ${HTML_MAX_BYTES} bytes.`,
        type: "string",
        examples: ["<p>Press <b>D</b>.</p>"],
      },
      parse: parseHtml,
      maxBytes: HTML_MAX_BYTES,
    },
  },
  required: ["html"],
  successes: [{ status: 200, schema: CONVERTED }],
  async run({ body: { html } }) {
    const { body, leftOut } = await inPieces(convertClipboard(html));
    return jsonReply(200, { body, lost: [...leftOut] });
  },
});

function parseHtml(text: string): string | Refusal {
  return new TextEncoder().encode(text).length <= HTML_MAX_BYTES
    ? text
    : new Refusal("too_long", `is longer than ${HTML_MAX_BYTES} bytes of UTF-8`);
}

/** Creates the operations that preview unpublished entries. Links need a public site. */
export function operations(context: BrandContext): readonly Operation[] {
  const site = siteOf(context, context.brand);
  if (site === undefined) return [previewOperation(site), convertOperation];
  const getCipher = createCipherCache("preview");

  async function show(entry: Entry): Promise<Reply> {
    const body = renderPreview(site!, entry);
    const headers = await privateHeaders(site!, body);
    return { status: 200, body, contentType: HTML_TYPE, headers };
  }

  return [
    previewOperation(site),
    convertOperation,

    operation("POST", `${ENTRY_PATH}/preview-link`, {
      operationId: "createPreviewLink",
      summary: "Show an entry to others before it is published",
      description:
        "Returns a secret URL, valid for 7 days. It shows the entry as it is at that moment.",
      scope: "entries:write",
      successes: [{ status: 201, schema: LINK }],
      async run({ storage, param, now }) {
        const entry = await storage.get(ENTRIES, param);
        if (entry === undefined) return "entry_not_found";
        const expiresAt = addMs(now.text, LINK_VALID_MS);
        const token = (await getCipher(storage)).encrypt(
          `${expiresAt} ${entry.createdAt} ${param}`,
        );
        return jsonReply(201, { url: `${site.publicUrl}/preview/${token}`, expiresAt });
      },
    }),

    operation("GET", "/preview/:token", {
      operationId: "getPreviewPage",
      summary: "Read an entry by its preview link",
      isPage: true,
      successes: [FOUND_PAGE],
      problems: ["entry_not_found", "storage_unavailable"],
      async run({ storage, param, now }) {
        const text = (await getCipher(storage)).decrypt(param) ?? "";
        const [expiresAt, createdAt, entryId = ""] = text.split(" ");
        const entry = expiresAt > now.text
          ? await findEntry(storage, { entryId, createdAt })
          : undefined;
        return entry === undefined ? "entry_not_found" : await show(entry);
      },
    }),
  ];
}
