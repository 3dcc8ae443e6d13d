/** Chinese texts: the page of an unknown address. */
export const nowhere = {
  "nowhere.title": "这个地址没有页面",
  "nowhere.do": "地址可能不完整或有误。上面的栏目包含所有页面；运行的地址是 /trajectories/ 加上它的 id。",
};
