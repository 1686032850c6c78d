-- The keys of the prompt. The table is what `:help ddg-keys` lists.
local M = {}

M.all = {
  { '<CR>', 'open_hit', 'edit' },
  { '<C-x>', 'open_hit', 'split' },
  { '<C-s>', 'open_hit', 'split' },
  { '<C-v>', 'open_hit', 'vsplit' },
  { '<C-t>', 'open_hit', 'tab' },
  { '<C-q>', 'quickfix' },
  { '<C-y>', 'copy_link' },
  { '<Down>', 'move', 1 },
  { '<C-n>', 'move', 1 },
  { '<C-j>', 'move', 1 },
  { '<Tab>', 'move', 1 },
  { '<Up>', 'move', -1 },
  { '<C-p>', 'move', -1 },
  { '<C-k>', 'move', -1 },
  { '<S-Tab>', 'move', -1 },
  { '<PageDown>', 'page', 1 },
  { '<PageUp>', 'page', -1 },
  { '<C-f>', 'scroll', true },
  { '<C-b>', 'scroll', false },
  { '<Esc>', 'cancel' },
  { '<C-c>', 'cancel' },
}

function M.set(picker, buf)
  for _, key in ipairs(M.all) do
    vim.keymap.set({ 'i', 'n' }, key[1], function()
      picker[key[2]](picker, key[3])
    end, { buffer = buf, nowait = true })
  end
  -- In a prompt buffer CTRL-W would be a window command; people expect it to take a word away.
  vim.keymap.set('i', '<C-w>', '<C-S-w>', { buffer = buf })
end

return M
