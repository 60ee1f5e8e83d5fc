import type { Delivery } from "../../model/deliveries/delivery.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { excerptOf, firstImage, parseMarkdown, renderHtml } from "../../model/entries/markdown.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { entryAddress } from "../../model/public_site.ts";
import { createYielder } from "../../model/turns.ts";
import { paceAt, type Paced, wants } from "../../model/subscriptions/choices.ts";
import { type Html, markup } from "../../model/values/html.ts";
import { nameEntryMail } from "../../services/deliveries/mail_ids.ts";
import { finishListMail, type MailSender, type MailSettings, renderListMail } from "./list_mail.ts";
import type { SubscriberMail } from "./mail_plan.ts";
import type { MailParts } from "./template.ts";

/** One of the entries of a week, as its mail shows it. */
interface Item {
  readonly entry: Entry;
  readonly image: Html | undefined;
  readonly excerpt: string;
}

// Each rendered mail takes some kilobytes, and few people have a choice of their own.
const MAX_KNOWN = 100;

/**
 * Prepares the mails of a week from its public entries; each person gets the entries that they
 * chose. Yields between entries.
 */
export async function prepareWeeklyMail(
  { entryId: key, number, dueAt, contents }: Delivery,
  entries: readonly Entry[],
  sender: MailSender,
): Promise<SubscriberMail> {
  const { settings: mailSettings } = sender;
  const numbers = new Map(contents.map((one) => [one.entryId, one.number]));
  const known = new Map<string, MailParts>();
  const subject = textsOf(mailSettings.language).weekly(mailSettings.title);
  const yieldIfBusy = createYielder();
  const items: Item[] = [];
  for (const entry of entries) {
    await yieldIfBusy();
    items.push(readItem(entry, mailSettings));
  }

  function pick(person: Paced, told: readonly string[] = []): readonly Item[] {
    return items.filter(({ entry: { entryId, labels } }) =>
      !told.includes(entryId) && paceAt(person, numbers.get(entryId)!) === "weekly" &&
      wants(person, labels)
    );
  }

  function render(picked: readonly Item[]): MailParts {
    const ids = picked.map(({ entry }) => entry.entryId).join(" ");
    if (known.size === MAX_KNOWN) known.clear();
    const parts = known.get(ids) ?? renderWeek(mailSettings, subject, picked);
    known.set(ids, parts);
    return parts;
  }

  const name = nameEntryMail({ entryId: key, createdAt: dueAt });
  return {
    judge: (person, told) =>
      paceAt(person, number) !== "weekly"
        ? "other"
        : pick(person, told).length > 0
        ? "wanted"
        : "labels",
    write({ userEmail: to, subscription, told }, unsubscribeUrl) {
      const parts = render(pick(subscription!, told));
      return finishListMail(sender, { ...parts, name, to, subject, unsubscribeUrl });
    },
  };
}

function readItem(entry: Entry, { publicUrl }: MailSettings): Item {
  const tree = parseMarkdown(entry.body, { imageBase: `${publicUrl}/changelog/` });
  const image = firstImage(tree);
  return {
    entry,
    image: image && { html: renderHtml([{ type: "paragraph", children: [image] }]) },
    excerpt: excerptOf(tree),
  };
}

function renderWeek(settings: MailSettings, subject: string, items: readonly Item[]): MailParts {
  const html = items.map(({ entry, image, excerpt }) => {
    const { title, labels } = entry;
    return markup`<h2 dir="auto"><a href="${entryAddress(settings, entry)}">${title}</a></h2>
${image}<p dir="auto">${excerpt}</p>
${labels.length === 0 ? undefined : markup`<p><small>${labels.join(" · ")}</small></p>\n`}`.html;
  });
  const text = items.map(({ entry, excerpt }) => {
    const { title, labels } = entry;
    const head = labels.length === 0 ? title : `${title} (${labels.join(", ")})`;
    return [head, excerpt, entryAddress(settings, entry)].filter(Boolean).join("\n");
  });
  return renderListMail(settings, {
    title: subject,
    preheader: items.map(({ entry }) => entry.title).join(" · "),
    body: { html: html.join(""), text: text.join("\n\n") },
    action: {
      label: textsOf(settings.language).readOnWeb,
      url: `${settings.publicUrl}/changelog`,
    },
  });
}
