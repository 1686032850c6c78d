-- What the user chose, over the defaults: `vim.g.ddg`, or `require('ddg').setup()`.
local M = {}

local defaults = {
  picker = 'builtin', -- or 'telescope', 'fzf-lua', 'snacks', 'select'
  limit = 0, -- files in an answer; 0 for what the server's settings say
  debounce_ms = 80, -- quiet before a question is sent
  preview = true, -- show the section beside the list
  border = '', -- of the picker's windows; empty for 'winborder', else 'rounded'
  width = 0.9, -- of the editor
  height = 0.85,
}
local given = {}

function M.setup(options)
  given = options or {}
end

-- The options in force. Read at every use, so that `:let g:ddg = ...` counts at once.
function M.get()
  local chosen = vim.tbl_extend('force', type(vim.g.ddg) == 'table' and vim.g.ddg or {}, given)
  for name, value in pairs(chosen) do
    if type(value) ~= type(defaults[name]) then
      vim.notify_once(('ddg: there is no option %s like that; see :help ddg-options'):format(name), vim.log.levels.WARN)
      chosen[name] = defaults[name]
    end
  end
  return vim.tbl_extend('keep', chosen, defaults)
end

M.defaults = defaults
return M
