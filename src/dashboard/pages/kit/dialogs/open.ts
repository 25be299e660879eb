/** Whether the page waits for a dialog. A toast has the same role. */
export const isDialogOpen = (): boolean =>
  document.querySelector(':is([role=dialog], [role=alertdialog]):not([data-toast])') !== null
