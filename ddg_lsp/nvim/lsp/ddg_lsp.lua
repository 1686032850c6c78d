-- The configuration behind `vim.lsp.enable('ddg_lsp')`. Change any of it with `vim.lsp.config('ddg_lsp', {...})`.
local server = require('ddg.server')

return {
  cmd = server.command(),
  -- No `filetypes`: the code action is for every file, not for documents alone.
  root_markers = server.markers,
  root_dir = server.root_dir,
  capabilities = { experimental = { ddgStatus = true } },
  handlers = {
    ['ddg/status'] = function(_, status, context)
      require('ddg.status').receive(context.client_id, status)
    end,
  },
}
