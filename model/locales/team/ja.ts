import type { TeamTexts } from "./team_texts.ts";

/** The texts in Japanese. */
export const ja: TeamTexts = {
  welcome: (title) => `${title} へようこそ`,
  invitationFor: (userName, userEmail) => `この招待は ${userName} さん（${userEmail}）宛てです。`,
  signIn: "サインイン",
  firstTitle: (title) => `${title} の初期設定`,
  firstHint: "あなたが最初の管理者になります。お名前は、あなたが書いたものとともに表示されます。",
  yourName: "お名前",
  yourAddress: "メールアドレス",
  begin: "始める",
  badName: "お名前を入力してください。",
  badAddress: "ann@example.com のようなメールアドレスを入力してください。",
  linkEnded: "このリンクは使用済みか、期限切れです",
  linkEndedHint: "管理者に新しい招待を依頼するか、別の方法でサインインしてください。",
  otherWays: "別の方法でサインイン",
  noAccess: "まだアクセスできません",
  noAccessHint: "このサービスの管理者に招待を依頼してください。",
  noAddress: "認証プロバイダーがメールアドレスを確認していません。" +
    "このサービスの運営者にお問い合わせください。",
  otherIdentity: "このアドレスには、認証プロバイダーの別のアカウントが結び付いています。" +
    "管理者にもう一度招待を依頼してください。",
  providerFailed: "認証プロバイダーでサインインできませんでした",
  providerFailedHint: "もう一度お試しになるか、別の方法でサインインしてください。",

  codeSubject: (code, title) => `${code} が確認コードです: ${title}`,
  codeText: "コードを要求した画面で、次のコードを入力してください。",
  codeNote: "コードは10分間有効です。お心当たりがない場合は、このメールを無視してください。" +
    "コードがなければ誰もサインインできません。",
  inviteSubject: (title) => `ご招待: ${title}`,
  inviteText: (title) =>
    `${title} のチームに招待されました。ページを開いてサインインしてください。`,
  inviteLink: "招待を受ける",
  inviteNote:
    "リンクは7日以内に1回だけ使えます。お心当たりがない場合は、この招待を無視してください。",

  digestSubject: (title) => `今朝のお知らせ: ${title}`,
  digestHeld: (count) => `承認待ちのアイデア: ${count}`,
  digestReported: (count) => `報告されたアイデア: ${count}`,
  digestIdeas: "新しいアイデア",
  digestMailings: "問題のある配信",
  digestWebhooks: "問題のある Webhook",
  openStudio: "スタジオを開く",
  digestNote: "このメールはチームのメンバーに、多くても1日に1回届きます。",
  digestSettings: "このメールを止める",
};
