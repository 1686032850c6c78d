-- `:Ddg` and the `<Plug>` maps. Nothing else is loaded until one of them is used.
if vim.g.loaded_ddg then
  return
end
vim.g.loaded_ddg = true

vim.api.nvim_create_user_command('Ddg', function(call)
  require('ddg.command').run(call)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Ask the documents of this workspace',
  complete = function(lead, line)
    return require('ddg.command').complete(lead, line)
  end,
})

vim.keymap.set('n', '<Plug>(DdgAsk)', '<Cmd>Ddg ask<CR>', { desc = 'Ask the docs' })
vim.keymap.set('n', '<Plug>(DdgSelection)', '<Cmd>Ddg selection<CR>', { desc = 'Ask the docs about the word here' })
vim.keymap.set('x', '<Plug>(DdgSelection)', ':Ddg selection<CR>', { desc = 'Ask the docs about the selection' })
vim.keymap.set('n', '<Plug>(DdgResume)', '<Cmd>Ddg resume<CR>', { desc = 'The last question to the docs again' })
