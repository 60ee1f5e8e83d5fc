import { readBrand } from "../model/brand.ts";
import type { PublicSite } from "../model/public_site.ts";
import { readWebhookAllow } from "../model/webhook_url.ts";
import type { Operation } from "./_operation.ts";
import type { HandlerOptions } from "./options.ts";
import { boardOperations } from "./boards.ts";
import { bounceOperations } from "./bounces.ts";
import { changelogOperations } from "./changelog.ts";
import { entryOperations } from "./entries.ts";
import { createEntryImportOperations } from "./entry_import.ts";
import { healthOperations } from "./health.ts";
import { createImportOperation } from "./import.ts";
import { keyOperations } from "./keys.ts";
import { logoOperation } from "./logo.ts";
import { metricsOperations } from "./metrics.ts";
import { previewOperations } from "./preview.ts";
import { publicationOperations } from "./publication.ts";
import { withReference } from "./reference.ts";
import { signUpOperations } from "./sign_up.ts";
import { statsOperations } from "./stats.ts";
import { studioOperations } from "./studio.ts";
import { subscriptionOperations } from "./subscriptions.ts";
import { unsubscribeOperations } from "./unsubscribe.ts";
import { webhookOperations } from "./webhooks.ts";
import { widgetOperation } from "./widget.ts";

/** Returns what public pages have in common; `undefined` where there are none. */
export function siteOf(options: HandlerOptions): PublicSite | undefined {
  const { publicUrl, signUp: hasSignUp } = options;
  return publicUrl === undefined ? undefined : { publicUrl, hasSignUp, ...readBrand(options) };
}

/** Returns the operations of a handler. */
export function operationsOf(options: HandlerOptions): readonly Operation[] {
  const { publicUrl, webhookAllow, basePath = "" } = options;
  const brand = readBrand(options);
  const site = siteOf(options);
  return withReference([
    ...boardOperations,
    // Before the path of one subscriber, which would fit as well.
    createImportOperation(),
    ...subscriptionOperations,
    // Before the path of one entry, which would fit as well.
    ...previewOperations(site),
    ...createEntryImportOperations(),
    ...entryOperations,
    ...publicationOperations,
    ...bounceOperations(site),
    ...keyOperations,
    ...statsOperations,
    ...metricsOperations,
    ...healthOperations,
    ...webhookOperations(readWebhookAllow(webhookAllow)),
    ...site === undefined ? [] : [
      // Before the path of one entry, which would fit as well.
      logoOperation(site),
      widgetOperation(),
      ...changelogOperations(site),
      ...unsubscribeOperations(site),
      ...site.hasSignUp ? signUpOperations(site) : [],
    ],
    ...options.studio ? studioOperations({ brand, basePath, publicUrl }) : [],
  ], basePath);
}
