import type { FirstLayout } from "./steps.ts";

/** Version 1 of what is stored. It never changes. */
export const FIRST: FirstLayout = {
  fields: {
    settings: "settingId value",
    boards: "boardId name description url visibility moderation instanceId createdAt updatedAt",
    subscriptions:
      "userEmail userName subscriberId subscribed source labels pace paceChanges history " +
      "createdAt updatedAt",
    entries:
      "entryId title body labels url posts publishedAt firstPublishedAt announceAt imported " +
      "createdAt updatedAt createdBy updatedBy publishedBy",
    changelogs: "changelogId version updatedAt",
    deliveries:
      "entryId state recipients sent failed deferred skipped asked told posts startedAt " +
      "finishedAt problem week postId dueAt nextAt advancedAt round rounds cursor retriedTo " +
      "number contents breaker",
    webhooks: "webhookId url types enabled format secret replacedSecrets failingSince disabledAt " +
      "problem createdAt updatedAt",
    webhookLists: "listId count enabled",
    webhookMessages:
      "messageId webhookId type state body attempts lastAttempts nextAttemptAt createdAt " +
      "expiresAt userEmail queuePlace listPlace",
    deferrals: "deferralId entryId userEmail attempts place",
    deliveryFailures: "failureId entryId userEmail code text failedAt isReported",
    failures: "userEmail entryId code text failedAt bounces",
    erasures: "erasureId erasedAt",
    pending: "pendingId content createdAt expiresAt",
    proofMails: "mailboxId state mailedAt dueAt attempts recipient boardId waiting expiresAt",
    closedMailboxes: "mailboxId at",
    appLinks: "linkId expiresAt",
    bounceCounts: "userEmail failures deliveredAt expiresAt",
    posts: "postId boardId title body status answer answeredAt votes state source importedVotes " +
      "history mergedInto entryId createdAt updatedAt instanceId boardInstanceId " +
      "authorEmail authorMailbox namesErased keyId asideDomains formerVotes " +
      "lacksFormerVotes unmergedFrom voteCursor deliveryKey hotScore votesPlace hotPlace " +
      "newPlace closedPlace",
    votes: "voteId postId postInstanceId userEmail userName notify notifyAt notifySource why " +
      "source keyId at via notifyVia counts optOuts told place",
    boardTallies: "instanceId open publicOpen held version updatedAt",
    people: "mailbox optOuts isApproved heldIdeas told",
    formerVotes: "formerVoteId postInstanceId stands source at",
    reports: "reportId place reason at expiresAt",
    postRemovals: "instanceId what",
    imageParts: "partId data",
    imageUploads: "uploadId parts expiresAt",
    images: "imageId type width height bytes createdAt uploadId parts",
    leases: "leaseId owner token renewals durationMs",
    apiKeys: "keyId hash name hint scopes createdAt expiresAt revokedAt lastUsedAt successorId " +
      "expiredBefore",
  },
  indexes: [
    "subscribed_in_order",
    "unsubscribed_in_order",
    "weekly_in_order",
    "drafts_by_age",
    "posts_by_closing",
  ],
};
