import type { Entry } from "../model/entry.ts";
import { type MarkdownBlock, parseMarkdown, renderHtml, renderText } from "../model/markdown.ts";
import { entryAddress, type PublicSite } from "../model/public_site.ts";
import { sha256 } from "../model/sha256.ts";
import type { Mail, Mailbox } from "./mailer.ts";
import { formatMailbox, listHeaders } from "./message.ts";

/** What all mails of a changelog have in common. */
export interface MailSettings extends PublicSite {
  /** Whom mails come from. */
  readonly from: Mailbox;
  /** Where replies go; `undefined` for back to `from`. */
  readonly replyTo?: Mailbox | undefined;
  /** What stands at the end, such as a postal address; may be empty. */
  readonly footer: string;
}

/** Whom a mail is for. */
export interface Addressee {
  readonly userEmail: string;
  /** The link by which the person unsubscribes. */
  readonly unsubscribeUrl: string;
}

/** Writes the mail of an entry to one person. */
export type WriteMail = (addressee: Addressee) => Promise<Mail>;

type Paragraph = MarkdownBlock & { readonly type: "paragraph" };

/** Prepares the mails of an entry; `test` is unique where they are tests, and marks them as such. */
export function prepareEntryMail(
  entry: Entry,
  mailSettings: MailSettings,
  { test }: { readonly test?: string | undefined } = {},
): WriteMail {
  const { entryId, title, createdAt, url } = entry;
  const { publicUrl, from, replyTo, footer } = mailSettings;
  const subject = test === undefined ? title : `[Test] ${title}`;
  const heading: MarkdownBlock = { type: "heading", level: 1, children: [text(subject)] };
  const body = parseMarkdown(entry.body);
  const links = [link("Read it on the web", entryAddress(mailSettings, entry))];
  if (url !== null) links.push(link("Learn more", url));
  const end: MarkdownBlock[] = [
    { type: "paragraph", children: inLines(links) },
    { type: "thematic_break" },
  ];
  if (footer !== "") {
    end.push({ type: "paragraph", children: inLines(footer.split(/\r\n?|\n/).map(text)) });
  }
  const start = {
    text: renderText([heading, ...body, ...end]),
    html: renderHtml([heading]) + renderHtml(body, { headingOffset: 1 }) + renderHtml(end),
  };
  const { hostname } = new URL(publicUrl);
  const list = {
    id: `changelog.${hostname.replace(/[^a-z0-9.-]/g, "")}`,
    name: mailSettings.title,
  };
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);

  return async function write({ userEmail, unsubscribeUrl }) {
    const last: readonly MarkdownBlock[] = [{
      type: "paragraph",
      children: [
        text(`You get this because you are subscribed to ${mailSettings.title}. `),
        link("Unsubscribe", unsubscribeUrl),
      ],
    }];
    const hash = await sha256([entryId, createdAt, userEmail, test ?? ""].join(" "));
    return {
      from,
      to: userEmail,
      subject,
      text: `${start.text}\n\n${renderText(last)}\n`,
      html: `<!doctype html>\n<html>\n<body>\n${start.html}${renderHtml(last)}</body>\n</html>\n`,
      messageId: `<${hash}@${domain}>`,
      headers: {
        ...(replyTo && { "Reply-To": formatMailbox(replyTo) }),
        ...listHeaders(list, unsubscribeUrl),
      },
    };
  };
}

function text(content: string): Paragraph["children"][number] {
  return { type: "text", text: content };
}

function link(label: string, url: string): Paragraph["children"][number] {
  return { type: "link", url, title: "", children: [text(label)] };
}

function inLines(parts: Paragraph["children"]): Paragraph["children"] {
  return parts.flatMap((part, index) => index === 0 ? [part] : [{ type: "hard_break" }, part]);
}
