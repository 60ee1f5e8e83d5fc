import type { Entry } from "../../model/entries/entry.ts";
import { markup } from "../../model/values/html.ts";
import { datesOf } from "../../model/locales/language.ts";
import {
  excerptOf,
  type MarkdownTree,
  parseMarkdown,
  renderHtml,
  renderText,
  shortenMarkdown,
  withDirections,
  withoutControls,
} from "../../model/entries/markdown.ts";
import { entryAddress } from "../../model/public_site.ts";
import { mailHash } from "../../model/deliveries/message_id.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { finishListMail, type MailSettings, renderListMail, type WriteMail } from "./list_mail.ts";
import { inlineStyles } from "./style.ts";

// Gmail cuts at 102 KB.
const MAX_HTML_BYTES = 90 * 1_024;

/** Prepares the mails of an entry; `test` is unique where they are tests, and marks them as such. */
export function prepareEntryMail(
  entry: Entry,
  mailSettings: MailSettings,
  { test }: { readonly test?: string | undefined } = {},
): WriteMail {
  const { title, publishedAt, url } = entry;
  const { language } = mailSettings;
  const texts = textsOf(language);
  const subject = test === undefined ? title : `[${texts.test}] ${title}`;
  const imageBase = `${mailSettings.publicUrl}/changelog/`;
  const tree = parseMarkdown(entry.body, { imageBase });
  const action = { label: texts.readOnWeb, url: entryAddress(mailSettings, entry) };
  const bodyText = renderText(tree);
  const { html: more } = markup`<p>… <a href="${action.url}">${action.label}</a></p>\n`;
  const toHtml = (shown: MarkdownTree) =>
    withDirections(withoutControls(renderHtml(shown, { headingOffset: 1 })));
  const render = (shown: MarkdownTree, end = "") =>
    renderListMail(mailSettings, {
      title: subject,
      preheader: excerptOf(tree) || texts.preheader(mailSettings.title),
      byline: publishedAt === null ? undefined : datesOf(language).day(publishedAt),
      body: {
        html: toHtml(shown) + end,
        text: bodyText,
      },
      action,
      links: url === null ? [] : [{ label: texts.learnMore, url }],
    });
  const sizeOf = (shown: MarkdownTree) =>
    byteLength(inlineStyles(toHtml(shown), mailSettings.accent.light));
  const maxSize = MAX_HTML_BYTES - byteLength(render([], more).html);
  const shown = shortenMarkdown(tree, maxSize, sizeOf);
  const parts = render(shown, shown === tree ? "" : more);
  return async function write({ userEmail: to }, unsubscribeUrl) {
    const id = await mailHash(entry, to, test);
    return finishListMail(mailSettings, { ...parts, id, to, subject, unsubscribeUrl });
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
