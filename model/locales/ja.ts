import type { Texts } from "./locale.ts";

// です・ます, with 配信登録 and 配信停止, the usual words of newsletters.
/** The texts in Japanese. */
export const ja: Texts = {
  about: "最新のお知らせ（新しい順）",
  skip: "本文へ移動",
  changelog: "お知らせ",
  feeds: "フィードで購読",
  labels: "ラベル",
  labelled: (label) => `ラベル「${label}」のお知らせ`,
  pages: "ページ",
  newerEntries: "新しいお知らせ",
  olderEntries: "以前のお知らせ",
  allEntries: "すべてのお知らせ",
  newerEntry: "次のお知らせ",
  olderEntry: "前のお知らせ",
  readMoreAt: (host) => `${host} で詳しく見る`,
  nothingYet: "まだお知らせはありません",
  nothingYetHint: "フィードを購読すると、最初のお知らせが届きます。",
  nothingLabelled: "このラベルのお知らせはありません",
  search: "検索",
  found: (q) => `「${q}」の検索結果`,
  nothingFound: "見つかりませんでした",
  nothingFoundHint: "言葉を減らすか、別の言葉でお試しください。",
  preview: "これはプレビューです。まだ公開されていない場合があります。",

  notFound: "ページが見つかりません",
  notFoundHint: "お知らせが取り下げられたか、URL が正しくない可能性があります。",
  unreadable: "この URL は使用できません",
  unreadableHint: "URL の一部が欠けているか、変更されています。",
  unavailable: "現在このページを表示できません",
  unavailableHint: "しばらくしてからもう一度お試しください。",
  whatIsNew: "最新のお知らせを見る",

  signUp: "お知らせをメールで受け取る",
  signUpHint: "お知らせごとにメールを 1 通お送りします。配信はいつでも停止できます。",
  email: "メールアドレス",
  name: "お名前（任意）",
  subscribe: "登録する",
  leaveEmpty: "この欄には何も入力しないでください",
  badEmail: "name@example.com のようなメールアドレスを入力してください。",
  badName: "お名前は 200 文字以内で、制御文字を使わずに入力してください。",
  lookForMail: "メールをご確認ください",
  lookForMailHint:
    "メールのリンクを開いて確認してください。本日すでにメールを受け取っている場合は、そのリンクにも表示されます。" +
    "数分たっても届かない場合は、迷惑メールフォルダーをご確認ください。",
  confirm: "登録の確認",
  confirmHint: (userEmail) => `お知らせを ${userEmail} にお送りします。`,
  confirmed: "登録が完了しました",
  confirmedHint:
    "お知らせのたびにメールをお送りします。配信を停止するリンクは、どのメールにもあります。",
  expired: "このリンクは有効期限が切れています",
  expiredHint: "新しいリンクを受け取るには、もう一度メールアドレスを入力してください。",
  badLink: "このリンクは正しくありません",
  badLinkHint: "メールからリンク全体をコピーしてください。",

  unsubscribe: "配信を停止する",
  unsubscribeQuestion: "メールの配信を停止しますか？",
  unsubscribeHint: "今後、お知らせのメールは届かなくなります。",
  unsubscribed: "配信を停止しました",
  unsubscribedHint: "今後、お知らせのメールは届きません。",
  endAsks: "要望したことについてのメールを停止する",
  asksEnded: "ご要望いただいたことについてのメールは今後お送りしません。",
  choose: "受け取る内容を選ぶ",
  everything: "すべて",
  onlyLabels: "次のラベルのいずれかが付いたお知らせのみ：",
  howOften: "頻度",
  paceEach: "お知らせごとに1通",
  paceWeekly: "週に1通",
  save: "保存",
  saved: "選択を保存しました。",
  tooManyLabels: (max) => `ラベルが多すぎるため、保存されていません。上限：${max}`,
  noLabel: "ラベルか「すべて」を選んでください。保存されていません。",
  weekSoFar: "今週これまで",
  weekly: (title) => `${title} の今週`,

  preheader: (title) => `${title} からのお知らせ`,
  readOnWeb: "ウェブで読む",
  learnMore: "詳しく見る",
  youAsked: (day, title) => `${day}にご要望いただきました：${title}`,
  whyYouGetThis: (title) => `このメールは、${title} の配信に登録された方へお送りしています。`,
  notTracked:
    "このメールは追跡していません。開封したことも、リンクを開いたことも、誰にも通知されません。",
  test: "テスト",

  confirmSubject: (title) => `【要確認】${title} の配信登録`,
  confirmRequest: (title, userEmail) =>
    `${userEmail} 宛てに ${title} のお知らせを送る申し込みを受け付けました。`,
  confirmLink: "登録を確認する",
  confirmIgnore:
    "リンクの有効期限は 7 日間です。お心当たりのない場合は、このメールを無視してください。登録は行われません。",
  alreadySubject: (title) => `${title} にはすでに登録されています`,
  alreadyText: (title, userEmail) =>
    `${userEmail} 宛てに ${title} のお知らせを送る申し込みを受け付けましたが、すでに登録済みです。お手続きは必要ありません。`,

  unread: (count) => `未読：${count} 件`,
  close: "閉じる",
};
