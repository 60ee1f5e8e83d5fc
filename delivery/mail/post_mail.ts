import type { Delivery } from "../../model/deliveries/delivery.ts";
import { excerptOf, parseMarkdown, renderText } from "../../model/entries/markdown.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { entryAddress, ideaAddress } from "../../model/public_site.ts";
import { nameEntryMail } from "../../services/deliveries/mail_ids.ts";
import type { PostNews } from "../../services/deliveries/told_post.ts";
import {
  addAskedPlace,
  fillAskedPlace,
  finishListMail,
  type MailSender,
  type MailSettings,
  renderListMail,
} from "./list_mail.ts";
import { renderMailMarkdown, renderMore, shortenMailMarkdown } from "./mail_markdown.ts";
import type { SubscriberMail } from "./mail_plan.ts";

/** The sender of the mails of a post, and a clock. */
interface PostMailSender extends MailSender {
  /** Returns the time (RFC 3339, UTC, milliseconds). */
  readonly now: () => string;
}

// Gmail cuts at 102 KB, and the rest of the mail takes some.
const MAX_ANSWER_BYTES = 80 * 1_024;

/** Prepares the mails that tell people who asked about the status and the answer of a post. */
export function preparePostMail(
  { entryId: key, dueAt }: Delivery,
  news: PostNews,
  { settings, ids, now }: PostMailSender,
): SubscriberMail {
  const { title, status, answer } = news.post;
  const texts = textsOf(settings.language);
  const what = status === "open" ? texts.answer : texts[status];
  const tree = parseMarkdown(answer ?? "", { imageBase: `${settings.publicUrl}/` });
  const action = { label: texts.readOnWeb, url: addressOf(settings, news) };
  const shown = shortenMailMarkdown(tree, MAX_ANSWER_BYTES, settings);
  const html = renderMailMarkdown(shown) + (shown === tree ? "" : renderMore(action));
  const parts = renderListMail(settings, {
    title,
    preheader: excerptOf(tree) || what,
    byline: what,
    body: addAskedPlace({ html, text: renderText(tree) }),
    action,
  }, { isSubscribed: false });
  const name = nameEntryMail({ entryId: key, createdAt: dueAt });
  const subject = `${what}: ${title}`;
  return {
    judge: () => "other",
    write: ({ userEmail: to, asks }, unsubscribeUrl) => {
      const filled = fillAskedPlace(parts, asks, { settings, now: now() });
      return finishListMail({ settings, ids }, { ...filled, name, to, subject, unsubscribeUrl });
    },
  };
}

/**
 * Returns the page that those who asked can read: the entry that ships the post, or the post
 * itself.
 */
function addressOf(settings: MailSettings, { post, board, entry }: PostNews): string {
  if (entry !== undefined) return entryAddress(settings, entry);
  if (board.visibility === "public" && post.state === "public") return ideaAddress(settings, post);
  return board.url ?? `${settings.publicUrl}/me`;
}
