import type { Texts } from "./locale.ts";

// Simplified characters; 您, as mails to customers say it.
/** The texts in Chinese. */
export const zh: Texts = {
  about: "最新动态，由新到旧",
  skip: "跳到正文",
  feeds: "通过 Feed 订阅",
  labels: "标签",
  labelled: (label) => `标签“${label}”的更新`,
  pages: "分页",
  newerEntries: "较新的更新",
  olderEntries: "较早的更新",
  allEntries: "全部更新",
  newerEntry: "较新",
  olderEntry: "较早",
  readMoreAt: (host) => `在 ${host} 了解更多`,
  nothingYet: "尚未发布任何内容",
  nothingYetHint: "订阅 Feed，第一时间了解更新。",
  nothingLabelled: "没有带此标签的更新",
  preview: "这是预览，内容可能尚未发布。",

  notFound: "页面不存在",
  notFoundHint: "内容可能已被撤回，或者网址不完整。",
  unreadable: "此网址无法使用",
  unreadableHint: "网址缺少一部分，或在传递过程中被改动。",
  unavailable: "暂时无法显示此页面",
  unavailableHint: "请稍后再试。",
  whatIsNew: "查看最新动态",

  signUp: "通过电子邮件接收更新",
  signUpHint: "每次更新发送一封邮件，可随时退订。",
  email: "电子邮箱",
  name: "姓名（选填）",
  subscribe: "订阅",
  leaveEmpty: "请将此栏留空",
  badEmail: "请输入有效的邮箱地址，例如 name@example.com。",
  badName: "姓名不能超过 200 个字符，也不能包含控制字符。",
  lookForMail: "请查收邮件",
  lookForMailHint: "打开邮件中的链接即可确认订阅。如果几分钟内没有收到，请查看垃圾邮件文件夹。",
  confirm: "确认订阅",
  confirmHint: (userEmail) => `更新将发送至 ${userEmail}。`,
  confirmed: "订阅成功",
  confirmedHint: "每次更新都会给您发送邮件，每封邮件都附有退订链接。",
  expired: "此链接已过期",
  expiredHint: "请再次输入邮箱地址，获取新的链接。",
  badLink: "此链接不完整",
  badLinkHint: "请从邮件中复制完整的链接。",

  unsubscribe: "退订",
  unsubscribeQuestion: "不再接收邮件？",
  unsubscribeHint: "我们将不再向您发送更新。",
  unsubscribed: "您已退订",
  unsubscribedHint: "我们不会再向您发送更新。",

  preheader: (title) => `来自 ${title} 的更新`,
  readOnWeb: "在网页上阅读",
  learnMore: "了解更多",
  whyYouGetThis: (title) => `您收到此邮件，是因为您订阅了 ${title}。`,
  notTracked: "本邮件不含跟踪：没有人会知道您是否打开邮件或点击链接。",
  test: "测试",

  confirmSubject: (title) => `请确认订阅 ${title}`,
  confirmRequest: (title, userEmail) =>
    `有人（希望是您）申请将 ${title} 的更新发送至 ${userEmail}。`,
  confirmLink: "确认订阅",
  confirmIgnore: "链接 7 天内有效。如果不是您本人操作，请忽略此邮件，您不会被订阅。",
  alreadySubject: (title) => `您已经订阅了 ${title}`,
  alreadyText: (title, userEmail) =>
    `有人（希望是您）申请将 ${title} 的更新发送至 ${userEmail}。您已经订阅，无需任何操作。`,

  unread: (count) => `未读：${count}`,
  close: "关闭",
};
