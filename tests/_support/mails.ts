import type { Mail } from "../../delivery/mail/mailer.ts";

/** A mail as tests send it, with some fields of their own. */
export function testMail(fields: Partial<Mail> = {}): Mail {
  return {
    from: { name: "Example", address: "news@example.com" },
    to: "ann@example.com",
    subject: "Dark mode",
    text: "Press D.\n",
    html: "<p>Press D.</p>\n",
    messageId: "<dark-mode.1@example.com>",
    headers: {},
    ...fields,
  };
}
