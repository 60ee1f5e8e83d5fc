/** An event about Ann as a provider posts it. */
export interface Sample {
  readonly name: string;
  readonly body: unknown;
  /** The expected type and code. */
  readonly expected: string;
}

/** The providers whose events are here, by the name of their file in `events/`. */
const PROVIDERS = [
  "amazon_ses",
  "brevo",
  "mailgun",
  "mailjet",
  "postmark",
  "resend",
  "sendgrid",
  "sparkpost",
] as const;

/** When the events happened. */
export const AT = "2026-11-25T09:30:00.000Z";

/** The events of each provider. */
export const EVENTS: Readonly<Record<typeof PROVIDERS[number], readonly Sample[]>> = readAll();

/** Wraps an event of Amazon SES into a message of Amazon SNS. */
export function sns(event: unknown): Readonly<Record<string, string>> {
  return {
    Type: "Notification",
    MessageId: "5b1f5c0e-0000-5000-8000-000000000001",
    TopicArn: "arn:aws:sns:eu-central-1:111122223333:mail",
    Message: typeof event === "string" ? event : JSON.stringify(event),
    Timestamp: "2026-11-25T09:30:00.000Z",
    SignatureVersion: "1",
    Signature: "none",
    SigningCertURL: "https://sns.eu-central-1.amazonaws.com/cert.pem",
  };
}

/** A sample in a file; `sns` is the event in a message of Amazon SNS. */
type Stored = Omit<Sample, "body"> & { readonly body?: unknown; readonly sns?: unknown };

function readAll(): Record<typeof PROVIDERS[number], readonly Sample[]> {
  const all = PROVIDERS.map((provider) => {
    const file = new URL(`./events/${provider}.json`, import.meta.url);
    const { events }: { events: readonly Stored[] } = JSON.parse(Deno.readTextFileSync(file));
    return [provider, events.map(toSample)];
  });
  return Object.fromEntries(all);
}

function toSample({ name, expected, body, ...stored }: Stored): Sample {
  return { name, expected, body: stored.sns === undefined ? body : sns(stored.sns) };
}
