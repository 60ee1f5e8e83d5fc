import { readBrand } from "../model/brand.ts";
import type { PublicSite } from "../model/public_site.ts";
import { readWebhookAllow } from "../model/webhooks/webhook_url.ts";
import type { Operation } from "./_http/operation.ts";
import { HANDLER_OPTIONS, type HandlerOptions } from "./options.ts";
import { defaultOf } from "../model/options.ts";
import { boardOperations } from "./api/boards.ts";
import { boardPageOperations } from "./public/boards.ts";
import { bounceOperations } from "./api/bounces.ts";
import { changelogOperations } from "./public/changelog.ts";
import { entryOperations } from "./api/entries.ts";
import { entryImportOperations } from "./api/entry_import.ts";
import { healthOperations } from "./operator/health.ts";
import { subscriberImportOperation } from "./api/subscriber_import.ts";
import { imageOperations } from "./api/images.ts";
import {
  logoOperations,
  robotsOperations,
  shownImageOperation,
  widgetOperation,
} from "./public/files.ts";
import { keyOperations } from "./api/keys.ts";
import { previewOperations } from "./api/preview.ts";
import { mergeOperations } from "./api/posts/merges.ts";
import { postDeliveryOperations } from "./api/posts/deliveries.ts";
import { postFileOperations } from "./api/posts/files.ts";
import { postOperations } from "./api/posts/posts.ts";
import { publicationOperations } from "./api/publication.ts";
import { peopleOperations } from "./api/people.ts";
import { confirmOperations } from "./public/proof/confirm.ts";
import { ideaFormOperations } from "./public/proof/ideas.ts";
import { meOperations } from "./public/proof/me.ts";
import { openOperation } from "./public/proof/open.ts";
import { reportFormOperations } from "./public/proof/reports.ts";
import { voteFormOperation } from "./public/proof/votes.ts";
import { withReference } from "./operator/reference.ts";
import { signUpOperations } from "./public/sign_up.ts";
import { reportOperation } from "./api/posts/reports.ts";
import { studioOperations } from "./operator/studio.ts";
import { subscriptionOperations } from "./api/subscribers.ts";
import { unsubscribeOperations } from "./public/unsubscribe.ts";
import { voteOperations } from "./api/posts/votes.ts";
import { webhookOperations } from "./api/webhooks.ts";

export type { Operation } from "./_http/operation.ts";
export { parametersOf } from "./operator/openapi/paths.ts";

type Settings = Omit<HandlerOptions, "storage">;

/** Returns the settings of all public pages; `undefined` if there are none. */
export function siteOf(options: Settings): PublicSite | undefined {
  const { publicUrl, signUp: hasSignUp, worker, voteRetentionMs } = options;
  const hasForms = worker?.askForProof !== undefined;
  return publicUrl === undefined
    ? undefined
    : { publicUrl, hasSignUp, hasForms, voteRetentionMs, ...readBrand(options) };
}

/** Returns the operations of a handler. */
export function operationsOf(options: Settings): readonly Operation[] {
  const { publicUrl, webhookAllow, basePath = "" } = options;
  const brand = readBrand(options);
  const site = siteOf(options);
  return withReference([
    ...boardOperations,
    ...postFileOperations,
    ...postOperations,
    ...postDeliveryOperations,
    ...voteOperations,
    reportOperation,
    ...mergeOperations,
    subscriberImportOperation,
    ...subscriptionOperations,
    ...previewOperations(site),
    ...entryImportOperations(brand.timeZone),
    ...entryOperations,
    ...publicationOperations,
    ...imageOperations(options.images ?? defaultOf(HANDLER_OPTIONS.images)),
    ...bounceOperations(site),
    ...keyOperations,
    ...healthOperations(publicUrl),
    ...webhookOperations(readWebhookAllow(webhookAllow), publicUrl),
    // The studio shows images, so this operation exists without a public URL, too.
    shownImageOperation,
    ...site === undefined ? [] : [
      ...logoOperations(site),
      widgetOperation(),
      ...robotsOperations(site),
      ...changelogOperations(site),
      // The forms come before the pages, because no post has the identifier `new`.
      ...site.hasForms
        ? [
          ...confirmOperations(site),
          ...meOperations(site),
          ...ideaFormOperations(site),
          voteFormOperation(site),
        ]
        : [],
      ...boardPageOperations(site),
      ...peopleOperations(site),
      openOperation(site),
      ...reportFormOperations(site),
      ...unsubscribeOperations(site),
      ...site.hasSignUp ? signUpOperations(site) : [],
    ],
    ...options.studio ? studioOperations({ brand, basePath, publicUrl }) : [],
  ], basePath);
}
