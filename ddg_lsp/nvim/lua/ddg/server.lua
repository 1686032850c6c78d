-- Where the server program is, and which folder it is given. Knows nothing of requests.
local M = {}

M.markers = { 'ddg.toml', 'dotdotgod.config.json', '.git' }
M.max_bytes = 1000000

-- The folder this plugin lies in: `.../ddg_lsp/nvim`.
function M.home()
  local here = debug.getinfo(1, 'S').source:sub(2)
  return vim.fs.normalize(vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(here))))
end

-- The program that was installed together with this plugin, else what PATH has.
function M.program()
  local windows = vim.fn.has('win32') == 1
  local name = windows and 'Scripts/ddg-lsp.exe' or 'bin/ddg-lsp'
  -- A plugin may be linked into a package folder: what it was installed with lies where the link leads.
  for _, home in ipairs({ M.home(), vim.uv.fs_realpath(M.home()) or M.home() }) do
    for folder in vim.fs.parents(home) do
      local program = vim.fs.joinpath(folder, name)
      if vim.fn.executable(program) == 1 then
        return program
      end
    end
  end
  return 'ddg-lsp'
end

function M.command()
  return { M.program(), 'serve', '--stdio' }
end

-- The version of this plugin; nil where it was copied out of its package.
function M.version()
  local file = io.open(vim.fs.joinpath(vim.fs.dirname(M.home()), '__init__.py'))
  if not file then
    return nil
  end
  local text = file:read('*a')
  file:close()
  return text:match('__version__%s*=%s*"([^"]+)"')
end

local function inside(path, folder)
  return path == folder or vim.startswith(path, folder == '/' and '/' or folder .. '/')
end

-- A folder nobody means to have searched as a whole.
local function too_much(folder)
  return folder == vim.fs.dirname(folder) or folder == vim.fs.normalize(vim.uv.os_homedir() or '~')
end

-- The folder of a file: the nearest with a marker, else the working directory it lies in; nil for neither.
function M.root(path, markers)
  local found = vim.fs.root(path, markers or M.markers)
  if found then
    return vim.fs.normalize(found)
  end
  local here = vim.fs.normalize(vim.fn.getcwd())
  return inside(vim.fs.normalize(path), here) and not too_much(here) and here or nil
end

local function markers()
  local config = vim.lsp.config['ddg_lsp']
  return config and config.root_markers or M.markers
end

-- The folder of a buffer: of its file, else of the working directory.
function M.root_of(bufnr)
  local named = vim.api.nvim_buf_is_valid(bufnr) and vim.bo[bufnr].buftype == ''
  local file = named and vim.api.nvim_buf_get_name(bufnr) or ''
  return M.root(file ~= '' and file or vim.fn.getcwd(), markers())
end

-- For `vim.lsp.enable`. A very large file is not handed to the server: it is no document and no place to ask. Nor is a
-- buffer without a name: its address would be that of every other one.
function M.root_dir(bufnr, on_dir)
  local named = vim.api.nvim_buf_get_name(bufnr) ~= ''
  if named and vim.api.nvim_buf_get_offset(bufnr, vim.api.nvim_buf_line_count(bufnr)) <= M.max_bytes then
    on_dir(M.root_of(bufnr))
  end
end

return M
