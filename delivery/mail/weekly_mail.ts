import type { Delivery } from "../../model/deliveries/delivery.ts";
import { mailHash } from "../../model/deliveries/message_id.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { excerptOf, firstImage, parseMarkdown, renderHtml } from "../../model/entries/markdown.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { entryAddress } from "../../model/public_site.ts";
import { paceAt, type Paced, wants } from "../../model/subscriptions/choices.ts";
import { markup } from "../../model/values/html.ts";
import { finishListMail, type MailPlan, type MailSettings, renderListMail } from "./list_mail.ts";
import type { MailParts } from "./template.ts";

// Each is some kilobytes, and few people choose what nobody else does.
const MAX_KNOWN = 100;

/** Prepares the mails of a week, of those of its entries that are public; everybody gets what they chose. */
export function prepareWeeklyMail(
  { entryId: key, number, dueAt, contents }: Delivery,
  entries: readonly Entry[],
  mailSettings: MailSettings,
): MailPlan {
  const numbers = new Map(contents.map((one) => [one.entryId, one.number]));
  const known = new Map<string, MailParts>();
  const subject = textsOf(mailSettings.language).weekly(mailSettings.title);

  function pick(person: Paced): readonly Entry[] {
    return entries.filter(({ entryId, labels }) =>
      paceAt(person, numbers.get(entryId)!) === "weekly" && wants(person, labels)
    );
  }

  function render(picked: readonly Entry[]): MailParts {
    const ids = picked.map(({ entryId }) => entryId).join(" ");
    if (known.size === MAX_KNOWN) known.clear();
    const parts = known.get(ids) ?? renderWeek(mailSettings, subject, picked);
    known.set(ids, parts);
    return parts;
  }

  return {
    index: "weekly",
    judge: (person) =>
      paceAt(person, number) !== "weekly" ? "pace" : pick(person).length > 0 ? "wanted" : "labels",
    async write(person, unsubscribeUrl) {
      const { userEmail: to } = person;
      const id = await mailHash({ entryId: key, createdAt: dueAt }, to);
      const parts = render(pick(person));
      return finishListMail(mailSettings, { ...parts, id, to, subject, unsubscribeUrl });
    },
  };
}

function renderWeek(settings: MailSettings, subject: string, entries: readonly Entry[]): MailParts {
  const texts = textsOf(settings.language);
  const imageBase = `${settings.publicUrl}/changelog/`;
  const items = entries.map((entry) => {
    const tree = parseMarkdown(entry.body, { imageBase });
    const image = firstImage(tree);
    return {
      ...{ title: entry.title, labels: entry.labels, url: entryAddress(settings, entry) },
      image: image && { html: renderHtml([{ type: "paragraph", children: [image] }]) },
      excerpt: excerptOf(tree),
    };
  });
  const html = items.map(({ title, labels, url, image, excerpt }) =>
    markup`<h2 dir="auto"><a href="${url}">${title}</a></h2>
${image}<p dir="auto">${excerpt}</p>
${labels.length === 0 ? undefined : markup`<p><small>${labels.join(" · ")}</small></p>\n`}`.html
  );
  const text = items.map(({ title, labels, url, excerpt }) =>
    [labels.length === 0 ? title : `${title} (${labels.join(", ")})`, excerpt, url]
      .filter(Boolean).join("\n")
  );
  return renderListMail(settings, {
    title: subject,
    preheader: items.map(({ title }) => title).join(" · "),
    body: { html: html.join(""), text: text.join("\n\n") },
    action: { label: texts.readOnWeb, url: `${settings.publicUrl}/changelog` },
  });
}
