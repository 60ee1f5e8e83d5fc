import { escapeHtml } from "../../std.ts";
import { randomText } from "../../model/crypto/random.ts";
import { localeOf } from "../../model/locales/language.ts";
import { textsOf } from "../../model/locales/locales.ts";
import type { News } from "../../services/team/digest.ts";
import type { DueMail } from "../../services/team/mails.ts";
import { domainOfMailbox, type MailSettings } from "./list_mail.ts";
import type { Mail } from "./mailer.ts";
import { formatMailbox } from "./message.ts";
import { type MailContent, renderMail } from "./template.ts";

/** The tag of mails to members, which names no reader: reports about these mails change nothing. */
const TAG = "team";

/** Writes a mail to a member: a code, an invitation, or the news of a morning. */
export function writeTeamMail(due: DueMail, settings: MailSettings): Mail {
  const content = contentOf(due, settings);
  return addressTeamMail(due, settings, { subject: content.title, content });
}

function contentOf({ mail, secret }: DueMail, settings: MailSettings): MailContent {
  const { title, publicUrl, language, footer } = settings;
  const texts = textsOf(language);
  if (mail.content === "code") {
    const code = `${secret.slice(0, 4)}-${secret.slice(4)}`;
    return {
      title: texts.codeSubject(code, title),
      preheader: texts.codeText,
      hasOneLink: true,
      body: {
        html: `<p>${escapeHtml(texts.codeText)}</p>\n<p><strong>${code}</strong></p>\n`,
        text: `${texts.codeText}\n\n${code}`,
      },
      footer,
      notes: [texts.codeNote],
    };
  }
  if (mail.content === "digest") return digestOf(JSON.parse(secret), settings);
  const text = texts.inviteText(title);
  return {
    title: texts.inviteSubject(title),
    preheader: text,
    hasOneLink: true,
    body: { html: `<p>${escapeHtml(text)}</p>\n`, text },
    action: { label: texts.inviteLink, url: `${publicUrl}/studio/in/${secret}` },
    footer,
    notes: [texts.inviteNote],
  };
}

/** A line of the morning mail: words, and the place in the studio that they lead to. */
interface Line {
  readonly text: string;
  readonly place: string;
  /** Whether it belongs to the line before it. */
  readonly isPart?: boolean;
}

function digestOf(news: News, settings: MailSettings): MailContent {
  const { title, publicUrl, language, footer } = settings;
  const texts = textsOf(language);
  const numbers = new Intl.NumberFormat(localeOf(language));
  const group = (text: string, lines: readonly Line[]): readonly Line[] =>
    lines.length === 0 ? [] : [{ text, place: lines[0].place }, ...lines];
  const studio = `${publicUrl}/studio`;
  const lines: readonly Line[] = [
    ...news.held === 0
      ? []
      : [{ text: texts.digestHeld(numbers.format(news.held)), place: "#/ideas?view=held" }],
    ...news.reports === 0 ? [] : [{
      text: texts.digestReported(numbers.format(news.reports)),
      place: "#/ideas?view=reported",
    }],
    ...group(
      texts.digestIdeas,
      news.ideas.map(({ title, boardId, postId }) => ({
        text: title,
        place: `#/ideas/${encodeURIComponent(boardId)}/${encodeURIComponent(postId)}`,
        isPart: true,
      })),
    ),
    ...group(
      texts.digestMailings,
      news.mailings.map((one) => ({ text: one ?? title, place: "#/overview", isPart: true })),
    ),
    ...group(
      texts.digestWebhooks,
      news.webhooks.map((host) => ({ text: host, place: "#/webhooks", isPart: true })),
    ),
  ];
  const html = lines.map(({ text, place, isPart }) => {
    const link = `<a href="${escapeHtml(studio + place)}">${escapeHtml(text)}</a>`;
    return isPart ? `<ul>\n<li dir="auto">${link}</li>\n</ul>\n` : `<p>${link}</p>\n`;
  });
  return {
    title: texts.digestSubject(title),
    preheader: lines[0].text,
    body: {
      html: html.join("").replaceAll("</ul>\n<ul>\n", ""),
      text: lines.map(({ text, place, isPart }) =>
        isPart ? `- ${text}\n  ${studio}${place}` : `${text}:\n${studio}${place}`
      ).join("\n\n"),
    },
    action: { label: texts.openStudio, url: studio },
    footer,
    notes: [texts.digestNote],
    ends: [{ label: texts.digestSettings, url: `${studio}#/account` }],
  };
}

/** Completes a mail to a member, whose identifiers prove nothing about a reader. */
export function addressTeamMail(
  { member }: Pick<DueMail, "member">,
  settings: MailSettings,
  { subject, content }: { readonly subject: string; readonly content: MailContent },
): Mail {
  const { from, replyTo, bouncesTo } = settings;
  const to = member.userEmail;
  const replies = replyTo === undefined ? undefined : { "Reply-To": formatMailbox(replyTo) };
  return {
    ...renderMail(settings, content),
    subject,
    to,
    from,
    messageId: `<${randomText(32)}@${domainOfMailbox(from)}>`,
    envelope: bouncesTo === undefined ? undefined : { from: bouncesTo.replace("*", TAG), to },
    headers: { ...replies, "Auto-Submitted": "auto-generated" },
  };
}
